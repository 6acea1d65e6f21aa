// The events of a client as something to iterate over.

/** All events of the server from now on, until the client is closed. */
export async function *eventsOf(client) {
  const queue = [];
  let wake = () => {};
  const off = client.on("*", event => {
    if (event?.type) queue.push(event);
    else if (event?.name === "closed" || client.state.name === "closed") queue.push(null);
    wake();
  });
  try {
    while (true) {
      while (queue.length === 0) await new Promise(resolve => (wake = resolve));
      const event = queue.shift();
      if (event === null) return;
      yield event;
    }
  } finally {
    off();
  }
}
