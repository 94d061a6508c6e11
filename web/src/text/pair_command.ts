// The command that pairs a device: a browser itself cannot make a code.
const LOOPBACK = /^http:\/\/(localhost|127\.[\d.]+|\[::1\])(:\d+)?\/?$/;

/** Whoever is on the way can read along. */
export const isInTheClear = (address: string): boolean => address.startsWith("http://") && !LOOPBACK.test(address);

export function pairCommand(address: string, name?: string): string {
  const words = ["thole pair", isInTheClear(address) && "--lan", `--url ${address}`, name && `--name ${name}`];
  return words.filter(Boolean).join(" ");
}
