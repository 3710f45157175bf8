/**
 * A Postgres for the tests: the one that `TEST_POSTGRES_URL` names, else a throwaway one from installed binaries, else
 * PGlite, which has one session for everybody.
 */
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { programCommand, sourceFile } from "../../runtime.ts";
import { eventually } from "../../pack_service/support/eventually.ts";

/** A server that tests may make databases on. */
export interface PostgresServer {
  /** What it is: only a real one has sessions of its own, and can be stopped. */
  readonly kind: "named" | "throwaway" | "pglite";
  /** The address of a database; of the one to make others from when none is named. */
  url(database?: string): string;
  /** Stops a throwaway server, whoever is connected, and starts it again. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** Whether there is a server whose sessions are apart; PGlite has one for everybody. */
export async function hasSessions(): Promise<boolean> {
  return (Deno.env.get("TEST_POSTGRES_URL") ?? "") !== "" ||
    await installedBinaries() !== undefined;
}

const here = dirname(fileURLToPath(import.meta.url));

/**
 * The server of this run of the tests: started by the first that asks.
 *
 * @param name Another name than the default's is another throwaway server: one that may be stopped.
 */
export async function postgresServer(
  name = "kindgi-postgres",
): Promise<PostgresServer> {
  const named = Deno.env.get("TEST_POSTGRES_URL");
  if (named !== undefined && named !== "") return namedServer(named);
  const binaries = await installedBinaries();
  return binaries === undefined
    ? await pgliteServer()
    : await throwawayServer(binaries, name);
}

function namedServer(named: string): PostgresServer {
  return {
    kind: "named",
    url: (database) => {
      const url = new URL(named);
      if (database !== undefined) url.pathname = `/${database}`;
      return url.href;
    },
    stop: () => Promise.reject(new Error("it isn't ours to stop")),
    start: () => Promise.resolve(),
  };
}

async function throwawayServer(
  binaries: string,
  name: string,
): Promise<PostgresServer> {
  const folder = await folderOfRun(name, async (folder) => {
    await spawnDetached("sh", [
      `${here}/postgres_server.sh`,
      folder,
      binaries,
      `${freePort()}`,
      `${Deno.pid}`,
    ]);
  });
  const port = await readyPort(folder);
  const control = (...args: readonly string[]) =>
    asPostgres([`${binaries}/pg_ctl`, "-D", `${folder}/data`, ...args]);
  return {
    kind: "throwaway",
    url: (database = "postgres") =>
      `postgres://postgres@127.0.0.1:${port}/${database}`,
    stop: () => control("-m", "fast", "-w", "stop"),
    start: () => control("-w", "-l", `${folder}/server.log`, "start"),
  };
}

async function pgliteServer(): Promise<PostgresServer> {
  const folder = await folderOfRun("kindgi-pglite", async (folder) => {
    console.error(
      "No Postgres is installed: the store's tests with several sessions (isolation, leases between processes, restarts) don't run; the others run on PGlite",
    );
    const [program, ...args] = programCommand(
      sourceFile("pglite_main.ts", import.meta.url),
    );
    await spawnDetached(program, [
      ...args,
      folder,
      `${freePort()}`,
      `${Deno.pid}`,
    ]);
  });
  const port = await readyPort(folder);
  return {
    kind: "pglite",
    url: () => `postgres://postgres@127.0.0.1:${port}/postgres`,
    stop: () => Promise.reject(new Error("it can't be stopped")),
    start: () => Promise.resolve(),
  };
}

/** The folder of this run's server: test files share it, and the first one to come starts the server in it. */
async function folderOfRun(
  name: string,
  start: (folder: string) => Promise<void>,
): Promise<string> {
  const temporary = Deno.env.get("TMPDIR") ?? "/tmp";
  const folder = `${temporary}/${name}-${Deno.pid}`;
  try {
    await Deno.mkdir(folder);
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return folder;
    throw error;
  }
  await start(folder);
  return folder;
}

function readyPort(folder: string): Promise<string> {
  return eventually("a Postgres that is ready", async () => {
    const ready = await textOf(`${folder}/ready`);
    if (ready !== undefined) return ready.trim();
    if (await textOf(`${folder}/failed`) !== undefined) {
      throw new Error(
        `Postgres doesn't start: ${await textOf(`${folder}/log`)}`,
      );
    }
    return undefined;
  });
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await Deno.readTextFile(path);
  } catch {
    return undefined;
  }
}

/** Starts a process that outlives its parent's test, and ends by itself. */
async function spawnDetached(
  program: string,
  args: readonly string[],
): Promise<void> {
  await new Deno.Command("sh", {
    args: [
      "-c",
      'setsid "$0" "$@" </dev/null >/dev/null 2>&1 &',
      program,
      ...args,
    ],
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).output();
}

async function asPostgres(command: readonly string[]): Promise<void> {
  const full = Deno.uid() === 0
    ? [
      "setpriv",
      "--reuid=postgres",
      "--regid=postgres",
      "--init-groups",
      "--",
      ...command,
    ]
    : command;
  const { code } = await new Deno.Command(full[0]!, {
    args: full.slice(1),
    cwd: "/",
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).output();
  if (code !== 0) throw new Error(`${full.join(" ")} ended with ${code}`);
}

/** The folder of Postgres's programs: the newest of Debian's, or that of the ones on the path. */
async function installedBinaries(): Promise<string | undefined> {
  const debian = "/usr/lib/postgresql";
  const folders: string[] = [];
  try {
    for await (const { name } of Deno.readDir(debian)) {
      folders.push(`${debian}/${name}/bin`);
    }
  } catch {
    // Not installed that way.
  }
  folders.sort((left, right) =>
    right.localeCompare(left, "en", { numeric: true })
  );
  folders.push(...(Deno.env.get("PATH") ?? "").split(":"));
  for (const folder of folders) {
    try {
      await Deno.stat(`${folder}/initdb`);
      return folder;
    } catch {
      // Not there.
    }
  }
  return undefined;
}

function freePort(): number {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  return port;
}
