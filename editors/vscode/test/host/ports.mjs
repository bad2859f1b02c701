// Ports on this machine, for the pictures. The tests let VS Code find one, as a free one may be taken a moment later.
import { connect, createServer } from "node:net";

/** A port that nobody listens on now. */
export function freePort() {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

/** Resolves when somebody listens on a port; false when nobody does within the time. */
export async function listening(port, seconds = 90) {
  const end = Date.now() + seconds * 1000;
  while (Date.now() < end) {
    const open = await new Promise((resolve) => {
      const socket = connect(port, "127.0.0.1", () => {
        socket.destroy();
        resolve(true);
      }).on("error", () => resolve(false));
    });
    if (open) return true;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return false;
}
