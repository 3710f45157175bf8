/**
 * The tables, in the order in which releases made them. A step that was published never changes; new ones are added.
 *
 * @module
 */

/** The first tables. Documents are JSON text, which keeps the order of keys. */
const FIRST = [
  `CREATE TABLE agent_tenants (
    position INTEGER PRIMARY KEY,
    tenant_id TEXT NOT NULL UNIQUE
  )`,
  `CREATE TABLE agent_conversations (
    position INTEGER PRIMARY KEY,
    tenant_id TEXT NOT NULL,
    id TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    participant_id TEXT,
    opened_at TEXT NOT NULL,
    closed_at TEXT,
    last_message_at TEXT,
    turn_count INTEGER NOT NULL DEFAULT 0,
    message_count INTEGER NOT NULL DEFAULT 0,
    conversation TEXT NOT NULL,
    UNIQUE (tenant_id, id)
  )`,
  `CREATE INDEX agent_conversations_opened ON agent_conversations (tenant_id, opened_at)`,
  `CREATE TABLE agent_messages (
    position INTEGER PRIMARY KEY,
    conversation INTEGER NOT NULL REFERENCES agent_conversations ON DELETE CASCADE,
    sequence INTEGER NOT NULL,
    run_id TEXT,
    idempotency_key TEXT,
    message TEXT NOT NULL,
    UNIQUE (conversation, sequence)
  )`,
  `CREATE UNIQUE INDEX agent_messages_key ON agent_messages (conversation, idempotency_key)
    WHERE idempotency_key IS NOT NULL`,
  `CREATE TABLE agent_run_snapshots (
    position INTEGER PRIMARY KEY,
    tenant_id TEXT NOT NULL,
    run_id TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    snapshot TEXT NOT NULL,
    UNIQUE (tenant_id, run_id)
  )`,
  `CREATE INDEX agent_run_snapshots_conversation ON agent_run_snapshots (tenant_id, conversation_id)`,
  `CREATE TABLE agent_runs (
    position INTEGER PRIMARY KEY,
    tenant_id TEXT NOT NULL,
    run_id TEXT NOT NULL,
    start_key TEXT,
    conversation_id TEXT,
    parent_run_id TEXT,
    definition TEXT NOT NULL,
    starter TEXT NOT NULL,
    status TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    cancel_requested TEXT,
    waiting_on TEXT NOT NULL DEFAULT '[]',
    last_append TEXT,
    started_at TEXT NOT NULL,
    ended_at TEXT,
    UNIQUE (tenant_id, run_id)
  )`,
  `CREATE UNIQUE INDEX agent_runs_start_key ON agent_runs (tenant_id, start_key) WHERE start_key IS NOT NULL`,
  `CREATE INDEX agent_runs_open ON agent_runs (tenant_id, position) WHERE ended_at IS NULL`,
  `CREATE INDEX agent_runs_ended ON agent_runs (ended_at) WHERE ended_at IS NOT NULL`,
  `CREATE INDEX agent_runs_conversation ON agent_runs (tenant_id, conversation_id, position)
    WHERE conversation_id IS NOT NULL`,
  `CREATE INDEX agent_runs_parent ON agent_runs (tenant_id, parent_run_id, position)
    WHERE parent_run_id IS NOT NULL`,
  `CREATE TABLE agent_run_entries (
    run INTEGER NOT NULL REFERENCES agent_runs ON DELETE CASCADE,
    sequence INTEGER NOT NULL,
    kind TEXT NOT NULL,
    node_id TEXT,
    payload TEXT,
    recorded_at TEXT NOT NULL,
    PRIMARY KEY (run, sequence)
  ) WITHOUT ROWID`,
  // A token has an outcome once it is resolved, and a place once its wait was opened; either may come first.
  `CREATE TABLE agent_run_tokens (
    run INTEGER NOT NULL REFERENCES agent_runs ON DELETE CASCADE,
    token_id TEXT NOT NULL,
    opened_by INTEGER,
    outcome TEXT,
    PRIMARY KEY (run, token_id)
  ) WITHOUT ROWID`,
  `CREATE TABLE agent_leases (
    tenant_id TEXT NOT NULL,
    key TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    holder TEXT,
    expires_at INTEGER NOT NULL,
    line TEXT NOT NULL,
    PRIMARY KEY (tenant_id, key)
  ) WITHOUT ROWID`,
  `CREATE TABLE agent_approvals (
    position INTEGER PRIMARY KEY,
    tenant_id TEXT NOT NULL,
    id TEXT NOT NULL,
    wait_token_id TEXT NOT NULL,
    run_id TEXT NOT NULL,
    conversation_id TEXT,
    status TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    approval TEXT NOT NULL,
    UNIQUE (tenant_id, id),
    UNIQUE (tenant_id, wait_token_id)
  )`,
  `CREATE INDEX agent_approvals_run ON agent_approvals (tenant_id, run_id)`,
  `CREATE INDEX agent_approvals_conversation ON agent_approvals (tenant_id, conversation_id)
    WHERE conversation_id IS NOT NULL`,
  `CREATE INDEX agent_approvals_due ON agent_approvals (expires_at) WHERE status = 'pending'`,
  `CREATE TABLE agent_facts (
    position INTEGER PRIMARY KEY,
    tenant_id TEXT NOT NULL,
    id TEXT NOT NULL,
    type TEXT NOT NULL,
    supersedes TEXT,
    version INTEGER NOT NULL,
    fact TEXT NOT NULL,
    UNIQUE (tenant_id, id)
  )`,
  `CREATE INDEX agent_facts_type ON agent_facts (tenant_id, type, position)`,
  `CREATE INDEX agent_facts_supersedes ON agent_facts (tenant_id, supersedes) WHERE supersedes IS NOT NULL`,
  // What facts mean to a model that turns text into vectors: 32-bit floats, the lowest byte first.
  `CREATE TABLE agent_fact_vectors (
    fact INTEGER NOT NULL REFERENCES agent_facts ON DELETE CASCADE,
    model TEXT NOT NULL,
    vector BLOB NOT NULL,
    PRIMARY KEY (fact, model)
  )`,
  `CREATE TABLE agent_provenance (
    position INTEGER PRIMARY KEY,
    tenant_id TEXT NOT NULL,
    run_id TEXT NOT NULL,
    record TEXT NOT NULL,
    UNIQUE (tenant_id, run_id)
  )`,
  `CREATE TABLE agent_model_calls (
    position INTEGER PRIMARY KEY,
    tenant_id TEXT NOT NULL,
    call_id TEXT NOT NULL,
    run_id TEXT NOT NULL,
    occurred_at INTEGER,
    record TEXT NOT NULL,
    UNIQUE (tenant_id, call_id)
  )`,
  `CREATE INDEX agent_model_calls_run ON agent_model_calls (tenant_id, run_id)`,
];

/** The statements of each version, from 1. */
export const MIGRATIONS: readonly (readonly string[])[] = [FIRST];
