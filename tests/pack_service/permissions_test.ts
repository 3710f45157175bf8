import type { Grant } from "../../pack_service/grants.ts";
import { findLinks, outwardLinks } from "../../pack_service/outward_links.ts";
import { wayOutOfDenial } from "../../pack_service/denials.ts";
import {
  packPermissions,
  permissionFlags,
  type PermissionInputs,
  strictPermissions,
} from "../../pack_service/permissions.ts";
import { assertEquals } from "../assert.ts";

const INPUTS: PermissionInputs = {
  mode: "standard",
  grants: [],
  packPaths: ["/pack", "/cache/define.js"],
  indexPath: "/pack.json",
  env: ["A", "HOME"],
};
const ALLOWLIST = {
  kind: "allowlist",
  hosts: ["b.example", "*.a.example:443"],
} as const;
const ENV = ["--allow-env=A,HOME", "--ignore-env"];

const grant = (kind: Grant["kind"], value?: string): Grant =>
  value === undefined ? { kind } : { kind, value };

Deno.test("standard opens net, read, write and sys, and neither run, ffi, other processes nor the making of links", () => {
  assertEquals(permissionFlags(packPermissions(INPUTS, [])), [
    "--allow-net",
    "--allow-read",
    "--allow-write=/",
    "--allow-sys",
    "--deny-read=/proc,/dev/fd",
    ...ENV,
  ]);
});

Deno.test("a grant that reaches the files of processes opens none of them", () => {
  const flagsOf = (...grants: readonly Grant[]) =>
    permissionFlags(
      packPermissions({ ...INPUTS, mode: "declared", grants }, [ALLOWLIST]),
    ).filter((flag) => flag.startsWith("--deny-read"));
  assertEquals(flagsOf(grant("read", "/data")), []);
  for (const path of ["/", "/proc", "/proc/1/environ", "/dev/fd/3"]) {
    assertEquals(flagsOf(grant("read", path)), ["--deny-read=/proc,/dev/fd"]);
  }
});

Deno.test("all opens everything but the environment", () => {
  assertEquals(
    permissionFlags(packPermissions({ ...INPUTS, mode: "all" }, [])),
    [
      "--allow-net",
      "--allow-read",
      "--allow-write",
      "--allow-sys",
      "--allow-run",
      "--allow-ffi",
      ...ENV,
    ],
  );
});

Deno.test("declared opens the module root, the index, and the union of the declared hosts", () => {
  const declared = { ...INPUTS, mode: "declared" } as const;
  const read = "--allow-read=/pack,/cache/define.js,/pack.json";
  const netOf = (
    networks: Parameters<typeof packPermissions>[1],
  ): string[] => {
    const flags = permissionFlags(packPermissions(declared, networks));
    assertEquals(flags.slice(-4), [read, "--allow-sys", ...ENV]);
    return flags.slice(0, -4);
  };
  assertEquals(
    netOf([ALLOWLIST, { kind: "allowlist", hosts: ["b.example", "c"] }]),
    ["--allow-net=*.a.example:443,b.example,c"],
  );
  assertEquals(netOf([{ kind: "none" }, ALLOWLIST]), [
    "--allow-net=*.a.example:443,b.example",
  ]);
  assertEquals(netOf([{ kind: "none" }]), []);
  assertEquals(netOf([{ kind: "allowlist", hosts: [] }]), []);
  assertEquals(netOf([ALLOWLIST, undefined]), ["--allow-net"]);
  assertEquals(netOf([ALLOWLIST, { kind: "unrestricted" }]), ["--allow-net"]);
});

Deno.test("a strict tool has the module root and its network, whatever the mode and the grants", () => {
  const grants = [
    grant("net", "x.example"),
    grant("read", "/data"),
    grant("write", "/data"),
    grant("run", "ffmpeg"),
    grant("sys", "hostname"),
    grant("env", "SECRET"),
    grant("ffi"),
  ];
  for (const mode of ["standard", "declared", "all"] as const) {
    const flagsOf = (network: Parameters<typeof strictPermissions>[1]) =>
      permissionFlags(strictPermissions({ ...INPUTS, mode, grants }, network));
    const rest = ["--allow-read=/pack,/cache/define.js", ...ENV];
    assertEquals(flagsOf(undefined), rest);
    assertEquals(flagsOf({ kind: "none" }), rest);
    assertEquals(flagsOf({ kind: "allowlist", hosts: [] }), rest);
    assertEquals(flagsOf(ALLOWLIST), [
      "--allow-net=b.example,*.a.example:443",
      ...rest,
    ]);
    assertEquals(flagsOf({ kind: "unrestricted" }), ["--allow-net", ...rest]);
  }
});

Deno.test("grants open what they name on top of the mode", () => {
  const grants = [
    grant("read", "/data"),
    grant("write", "/out"),
    grant("net", "::1"),
    grant("run", "ffmpeg"),
    grant("run", "sh"),
    grant("env", "SECRET"),
    grant("env", "A"),
    grant("ffi"),
  ];
  const opened = ["--allow-run=ffmpeg,sh", "--allow-ffi"];
  const env = ["--allow-env=A,HOME,SECRET", "--ignore-env"];
  assertEquals(permissionFlags(packPermissions({ ...INPUTS, grants }, [])), [
    "--allow-net",
    "--allow-read",
    "--allow-write=/,/out",
    "--allow-sys",
    ...opened,
    "--deny-read=/proc,/dev/fd",
    ...env,
  ]);
  assertEquals(
    permissionFlags(
      packPermissions({ ...INPUTS, mode: "declared", grants }, [ALLOWLIST]),
    ),
    [
      "--allow-net=*.a.example:443,b.example,[::1]",
      "--allow-read=/pack,/cache/define.js,/pack.json,/data",
      "--allow-write=/out",
      "--allow-sys",
      ...opened,
      ...env,
    ],
  );
});

Deno.test("no variable at all still isn't every variable", () => {
  const flags = permissionFlags({
    ...strictPermissions({ ...INPUTS, env: [], packPaths: ["/a"] }, undefined),
    denyRead: ["/a/link"],
  });
  assertEquals(flags, [
    "--allow-read=/a",
    "--deny-read=/a/link",
    "--allow-env=KINDGI_NO_VARIABLE",
    "--ignore-env",
  ]);
});

Deno.test("links that lead out of what may be read are found, also behind other links and to nothing", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const pack = `${folder}/pack`;
    const file = async (path: string) => {
      await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), {
        recursive: true,
      });
      await Deno.writeTextFile(path, "");
    };
    await file(`${folder}/secret/key`);
    await file(`${folder}/data/rows`);
    await file(`${pack}/tools/a.ts`);
    await file(`${pack}/deep/down/b.ts`);
    await file(`${pack}/node_modules/zod/index.js`);
    await file(`${pack}/node_modules/@scope/x/index.js`);
    const links: Readonly<Record<string, string>> = {
      "in": "tools",
      "in-file": "tools/a.ts",
      "out": "../secret",
      "out-file": "../secret/key",
      "deep/down/out": "../../../secret",
      "through": "deep",
      "again": "through/down",
      "nothing": "/nothing/is/here",
      "data": "../data",
      "node_modules/linked": "../../secret",
      "node_modules/@scope/linked": "../../../secret",
    };
    for (const [path, target] of Object.entries(links)) {
      await Deno.symlink(target, `${pack}/${path}`);
    }
    const found = await findLinks(pack);
    assertEquals(found.length, Object.keys(links).length);
    const denied = await outwardLinks(found, [pack, `${folder}/missing`]);
    assertEquals(
      denied.map((path) => path.slice(pack.length + 1)),
      [
        "again",
        "data",
        "deep/down/out",
        "node_modules/@scope/linked",
        "node_modules/linked",
        "nothing",
        "out",
        "out-file",
        "through",
      ],
    );
    const withData = await outwardLinks(found, [pack, `${folder}/data`]);
    assertEquals(withData, denied.filter((path) => path !== `${pack}/data`));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a denial says which grant, or for a strict tool which declaration, would allow it", () => {
  const denied = (kind: string, what: string) =>
    `NotCapable: Requires ${kind} access to ${what}, run again with the --allow-${kind} flag`;
  const ways: readonly [string, string, string][] = [
    [
      denied("net", '"db.example:5432"'),
      "Start the service with --grant net=db.example:5432 to allow it",
      `Declare it in the tool: network: { kind: 'allowlist', hosts: ["db.example:5432"] }`,
    ],
    [
      denied("read", '"/etc/passwd"'),
      "Start the service with --grant read=/etc/passwd to allow it",
      "A strict tool has no read access here; take `sandbox: 'strict'` off this tool if it needs that",
    ],
    ...[
      denied("read", '"/proc/1/environ"'),
      denied("read", '"/dev/fd/3"'),
      denied("all", '"/proc/cpuinfo"'),
    ].map((message): [string, string, string] => [
      message,
      "Start the service with KINDGI_PACK_PERMISSIONS=all to allow it",
      "A strict tool has no read access here; take `sandbox: 'strict'` off this tool if it needs that",
    ]),
    [
      "NotCapable: Deno.symlinkSync() requires unscoped --allow-read and --allow-write permissions; …",
      "Start the service with KINDGI_PACK_PERMISSIONS=all to allow it",
      "A strict tool makes no symbolic links; take `sandbox: 'strict'` off this tool if it needs them",
    ],
    [
      denied("run", '"ls"'),
      "Start the service with --grant run=ls to allow it",
      "A strict tool has no run access here; take `sandbox: 'strict'` off this tool if it needs that",
    ],
    [
      "NotCapable: Requires run access, run again with the --allow-run flag",
      "Start the service with KINDGI_PACK_PERMISSIONS=all to allow it",
      "A strict tool has no run access here; take `sandbox: 'strict'` off this tool if it needs that",
    ],
    [
      denied("write", "<TMP>"),
      "Start the service with --grant write=PATH for the path of <TMP> to allow it",
      "A strict tool has no write access here; take `sandbox: 'strict'` off this tool if it needs that",
    ],
    [
      "NotCapable: Requires ffi access, run again with the --allow-ffi flag",
      "Start the service with --grant ffi to allow it",
      "A strict tool has no ffi access here; take `sandbox: 'strict'` off this tool if it needs that",
    ],
    [
      "Error: Cannot find native binding. npm has a bug …",
      "Start the service with --grant ffi if this pack may load native libraries",
      "A strict tool can't load native libraries; take `sandbox: 'strict'` off this tool if it needs them",
    ],
  ];
  for (const [message, grant, declaration] of ways) {
    assertEquals(wayOutOfDenial(message, "grant"), grant);
    assertEquals(wayOutOfDenial(message, "declaration"), declaration);
  }
  assertEquals(wayOutOfDenial("Error: out of cheese", "grant"), undefined);
});
