"""The rules of the house, applied to every file of the tree without a build. `Tests/StyleTests/run` says what they find."""
