// Before the first paint, so that a chosen theme does not flash; a file of its own, because inline scripts are not allowed.
try {
  const theme = localStorage.getItem("trawl.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage may be closed to us; the system's theme is right then.
}
