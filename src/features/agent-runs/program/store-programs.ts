/** The table `agent_programs`, and what `agent_runs` holds of a program. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import type { Timestamp } from '#lib/time.ts'
import type { ProgramKind } from './presets.ts'

export type ProgramRow = {
  readonly name: string
  readonly kind: ProgramKind
  readonly command: string
  /** JSON. */
  readonly folders: string
  /** JSON. */
  readonly env: string
  readonly tested_at: Timestamp | null
  readonly version: string | null
  readonly fault: string | null
  readonly updated_by: string
  readonly updated_at: Timestamp
}

export const findProgram = (db: Db, name: string): ProgramRow | null =>
  db.one<ProgramRow>('SELECT * FROM agent_programs WHERE name = ?', name)

export const listPrograms = (db: Db): ProgramRow[] =>
  db.all<ProgramRow>('SELECT * FROM agent_programs ORDER BY name')

export const putProgram = (
  tx: Tx,
  row: Pick<ProgramRow, 'name' | 'kind' | 'command' | 'folders' | 'env' | 'updated_by'>,
): void =>
  void tx.db.run(
    `INSERT INTO agent_programs (name, kind, command, folders, env, updated_by, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET kind = excluded.kind,
     command = excluded.command, folders = excluded.folders, env = excluded.env,
     updated_by = excluded.updated_by, updated_at = excluded.updated_at,
     tested_at = NULL, version = NULL, fault = NULL`,
    row.name,
    row.kind,
    row.command,
    row.folders,
    row.env,
    row.updated_by,
    tx.now,
  )

export const setProgramTested = (
  tx: Tx,
  name: string,
  { version, fault }: Pick<ProgramRow, 'version' | 'fault'>,
): void =>
  void tx.db.run(
    'UPDATE agent_programs SET tested_at = ?, version = ?, fault = ? WHERE name = ?',
    tx.now,
    version,
    fault,
    name,
  )

export const removeProgram = (tx: Tx, name: string): void =>
  void tx.db.run('DELETE FROM agent_programs WHERE name = ?', name)

/** Says that the program is being sent a turn. */
export const setPrompted = (tx: Tx, agent_id: string, turn: number, head: string): void =>
  void tx.db.run(
    'UPDATE agent_runs SET prompted = ?, prompted_head = ? WHERE agent_id = ?',
    turn,
    head,
    agent_id,
  )

export const setProgramSession = (tx: Tx, agent_id: string, session: string | null): void =>
  void tx.db.run('UPDATE agent_runs SET acp_session = ? WHERE agent_id = ?', session, agent_id)

/** Runs of programs that have ended, whose files can be removed. */
export const hasEnded = (db: Db, agent_id: string): boolean =>
  db.one(
    `SELECT 1 FROM agent_runs WHERE agent_id = ? AND state NOT IN ('stopped', 'finished')`,
    agent_id,
  ) === null
