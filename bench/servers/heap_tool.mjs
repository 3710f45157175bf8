// Measures the heap in use of the executor that runs it, after a forced collection.
import v8 from "node:v8";
import vm from "node:vm";

export default () => {
  v8.setFlagsFromString("--expose-gc");
  const collect = vm.runInNewContext("gc");
  for (let times = 0; times < 3; times++) collect();
  return { heapUsed: Deno.memoryUsage().heapUsed };
};
