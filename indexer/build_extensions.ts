/**
 * Build extensions: what a pack's config says about the image that is built of it. Data only; a build tool reads it.
 *
 * @module
 */

/** A step that runs in the image after its dependencies are installed. */
export interface PostInstallStep {
  /** A program of the installed dependencies. */
  readonly bin: string;
  /** Its arguments. */
  readonly args?: readonly string[];
}

/** Something that a build adds for one library or tool. */
export interface BuildExtension {
  /** What it is called in messages; not empty. */
  readonly name: string;
  /** Files of the pack that its steps need, relative to the pack. */
  readonly contextFiles?: readonly string[];
  /** Packages of the image's operating system. */
  readonly systemPackages?: readonly string[];
  /** What to run after the install, in order. */
  readonly postInstall?: readonly PostInstallStep[];
  /** Environment variables of the build. */
  readonly buildEnv?: Readonly<Record<string, string>>;
}

/** The `image` of a pack's config. */
export interface ImageConfig {
  /** Packages of the image's operating system. */
  readonly systemPackages?: readonly string[];
  /** What libraries and tools need. */
  readonly extensions?: readonly BuildExtension[];
  /** Environment variables of the build, over those of the extensions. */
  readonly buildEnv?: Readonly<Record<string, string>>;
}

/** Where Prisma's files are, relative to the pack. */
export interface PrismaOptions {
  /** The schema. */
  readonly schema: string;
  /** Prisma's own config; it then says where the schema is. */
  readonly config?: string;
}

/** Runs `prisma generate` after the install (`spec/handler_runtime.md` 8). */
export function prisma({ schema, config }: PrismaOptions): BuildExtension {
  return {
    name: "prisma",
    contextFiles: config === undefined ? [schema] : [schema, config],
    postInstall: [{
      bin: "prisma",
      args: config === undefined
        ? ["generate", "--schema", schema]
        : ["generate", "--config", config],
    }],
  };
}

/** Answers the extension that it is given: a place for its type. */
export function defineBuildExtension<const Extension extends BuildExtension>(
  extension: Extension,
): Extension {
  return extension;
}
