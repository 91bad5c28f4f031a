// The offline page checks for the server now and then, and opens the app when it answers.
const EVERY_MS = 3000;

const retry = async () => {
  try {
    const answer = await fetch("/api/v1/health", { cache: "no-store" });
    if (answer.ok) location.reload();
  } catch {
    // Still down.
  }
};

document.getElementById("retry").addEventListener("click", () => location.reload());
setInterval(retry, EVERY_MS);
