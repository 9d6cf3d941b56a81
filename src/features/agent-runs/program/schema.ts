/** Agent programs as clients see them. */
import { ListOf, mustBe, Nullable, OneOf, Slug, type Static, Time, Type } from '#core/schema.ts'
import { PROGRAM_KINDS } from './presets.ts'
import type { ProgramRow } from './store-programs.ts'

const command = Type.String({
  minLength: 1,
  maxLength: 1_000,
  description: 'A line for /bin/sh, run inside the box.',
})

export const Folders = Type.Array(
  Type.String({ minLength: 2, maxLength: 500, pattern: '^/', ...mustBe('an absolute path') }),
  {
    maxItems: 20,
    description: 'Folders of this machine that it reads, besides /usr.',
  },
)

export const Environment = Type.Record(
  Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]{0,99}$' }),
  Type.String({ maxLength: 2_000 }),
  { maxProperties: 50, description: 'Variables of its environment. No secrets: agents read them.' },
)

export const ProgramCommand = command

export const AgentProgram = Type.Object(
  {
    name: Slug,
    kind: OneOf(PROGRAM_KINDS, {
      description:
        'What it is set up as; other gets the variables of OpenAI and Anthropic clients.',
    }),
    command: Nullable(Type.String({ description: 'Null for people who are no administrators.' })),
    folders: Nullable(Type.Array(Type.String())),
    env: Nullable(Type.Record(Type.String(), Type.String())),
    version: Nullable(Type.String({ description: 'What it said of itself when it was tested.' })),
    fault: Nullable(Type.String({ description: 'What went wrong in the last test.' })),
    tested_at: Nullable(Time),
    updated_at: Time,
  },
  { $id: 'AgentProgram', description: 'A program that works on issues over ACP.' },
)
export type AgentProgram = Static<typeof AgentProgram>
export const AgentPrograms = ListOf(AgentProgram)

export const programRecord = (row: ProgramRow, isAdmin: boolean): AgentProgram => ({
  name: row.name,
  kind: row.kind,
  command: isAdmin ? row.command : null,
  folders: isAdmin ? (JSON.parse(row.folders) as string[]) : null,
  env: isAdmin ? (JSON.parse(row.env) as Record<string, string>) : null,
  version: row.version,
  fault: row.fault,
  tested_at: row.tested_at,
  updated_at: row.updated_at,
})
