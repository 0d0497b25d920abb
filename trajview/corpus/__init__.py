"""Where records come from: files and folders, containers, and the list of runs made of them."""
