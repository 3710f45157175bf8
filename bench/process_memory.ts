/**
 * Memory of processes as Linux tells it.
 *
 * @module
 */

/** A process and all that it started, the started ones' own included. */
export async function processTree(pid: number): Promise<number[]> {
  const pids = [pid];
  for await (const task of Deno.readDir(`/proc/${pid}/task`)) {
    const path = `/proc/${pid}/task/${task.name}/children`;
    for (const child of (await Deno.readTextFile(path)).split(" ")) {
      if (child !== "") pids.push(...await processTree(Number(child)));
    }
  }
  return pids;
}

/** The proportional set size of a process and all that it started, in MiB: shared pages are shared out. */
export async function pssMiB(pid: number): Promise<number> {
  let total = 0;
  for (const one of await processTree(pid)) {
    const text = await Deno.readTextFile(`/proc/${one}/smaps_rollup`);
    total += Number(/^Pss:\s+(\d+)/m.exec(text)?.[1]);
  }
  return total / 1024;
}
