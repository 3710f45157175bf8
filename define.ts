/**
 * What a pack's author imports: helpers that check a definition where it is written.
 *
 * Cheap to load in every module of a pack and safe in a bundler: neither a validator nor a template engine nor any
 * platform API comes along.
 *
 * @module
 */
export * from "./define/mod.ts";
