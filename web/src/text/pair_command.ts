// The command that pairs a device.  A browser cannot create a code, so the user runs it in a terminal.
const LOOPBACK = /^http:\/\/(localhost|127\.[\d.]+|\[::1\])(:\d+)?\/?$/;

/** Whether the connection is unencrypted, so that others on the network can read it. */
export const isInTheClear = (address: string): boolean => address.startsWith("http://") && !LOOPBACK.test(address);

export function pairCommand(address: string, name?: string): string {
  const words = ["thole pair", isInTheClear(address) && "--lan", `--url ${address}`, name && `--name ${name}`];
  return words.filter(Boolean).join(" ");
}
