/**
 * The names that every template can read without declaring them, and that no parameter may take.
 *
 * @module
 */

/**
 * The variables that rendering sets by itself, in this order: `today` (`YYYY-MM-DD`, UTC), `now` (ISO 8601, UTC),
 * `agent` (`id`, `name`, `version`), `conversation` (`id`, `turn`), `input` (the turn's structured input) and
 * `settings` (the settings blocks' values). All six are reserved (`spec/agents_define.md` 4.3).
 */
export const AUTO_INJECTED_VARS = [
  "today",
  "now",
  "agent",
  "conversation",
  "input",
  "settings",
] as const;

/** Whether a parameter's name is reserved, also when it is written in look-alike forms of the same letters. */
export function isReservedParameterName(name: string): boolean {
  return (AUTO_INJECTED_VARS as readonly string[])
    .includes(name.normalize("NFKC").trim());
}
