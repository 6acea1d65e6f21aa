"""Journal servers, nodes and a load balancer on one machine: the parts of deploy/cluster and Tests/ClusterTrials."""
