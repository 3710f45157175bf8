/**
 * The tables of agents, by name.
 *
 * @module
 */

/**
 * The tables whose every row belongs to a tenant, by `tenant_id`: a host's migration runner enables row security on each
 * and runs every statement with a tenant set (`spec/agents_define.md` 15).
 */
export const AGENTS_TENANT_SCOPED_TABLES = [
  "agent_conversations",
  "agent_run_snapshots",
] as const;
