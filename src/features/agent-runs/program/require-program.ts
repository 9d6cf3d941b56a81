import type { Db } from '#core/db.ts'
import { invalid, notFound } from '#lib/errors.ts'
import { findProgram, listPrograms, type ProgramRow } from './store-programs.ts'

/** Throws 422 on the field `program`. */
export function requireProgram(db: Db, name: string): ProgramRow {
  const program = findProgram(db, name)
  if (program) return program
  const names = listPrograms(db).map((one) => one.name)
  throw invalid(
    'program',
    names.length === 0
      ? `there is no agent program ${name}; an administrator of this forge adds programs`
      : `there is no agent program ${name}; there are ${names.join(', ')}`,
  )
}

/** Throws 404. */
export function requireKnownProgram(db: Db, name: string): ProgramRow {
  const program = findProgram(db, name)
  if (!program) throw notFound(`the agent program ${name}`)
  return program
}
