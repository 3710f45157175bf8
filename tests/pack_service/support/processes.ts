/** A look at the processes of the machine. */

/** The children of a process, the oldest first. */
export async function childrenOf(pid: number): Promise<number[]> {
  const { stdout } = await new Deno.Command("ps", {
    args: ["-A", "-o", "pid=,ppid=,stat="],
  }).output();
  return new TextDecoder().decode(stdout).split("\n").flatMap((line) => {
    const [child, parent, state] = line.trim().split(/\s+/);
    return Number(parent) === pid && !state?.startsWith("Z")
      ? [Number(child)]
      : [];
  }).sort((a, b) => a - b);
}

/** Whether a process is there and hasn't ended. */
export async function isAlive(pid: number): Promise<boolean> {
  const { stdout } = await new Deno.Command("ps", {
    args: ["-o", "stat=", "-p", String(pid)],
  }).output();
  const state = new TextDecoder().decode(stdout).trim();
  return state !== "" && !state.startsWith("Z");
}
