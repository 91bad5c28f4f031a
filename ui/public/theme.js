// Runs before the first paint, so that a chosen theme does not flash. A separate file, because inline scripts are not allowed.
try {
  const theme = localStorage.getItem("trawl.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage may be blocked; then the system's theme applies.
}
