/** What all steps of an import share. */
import type { Hearth } from '#core/hearth.ts'
import type { RepoRow } from '#features/repos/index.ts'
import type { Forge, ForeignRepo, Page } from '../forges/forge.ts'
import type { FileSource } from '../forges/open-forge.ts'
import type { PeopleOf } from '../people.ts'
import type { ImportedTexts } from '../rewrite-text.ts'
import type { StepName } from '../schema.ts'
import type { ImportRow } from '../store.ts'
import type { Tx } from '#core/write.ts'

export type StepContext = {
  readonly hearth: Hearth
  readonly row: ImportRow
  readonly repo: RepoRow
  readonly facts: ForeignRepo
  readonly forge: Forge
  /** Opens files of releases. */
  readonly client: FileSource
  readonly token: string | null
  readonly people: PeopleOf
  readonly texts: ImportedTexts
  readonly signal: AbortSignal
}

/** A step that reads a list page by page and writes its items. */
export type ListStep<T, Ready = T> = {
  readonly name: StepName
  /** How many items one transaction takes. */
  readonly batch?: number
  readonly read: (context: StepContext, cursor: string | null) => Promise<Page<T>>
  /** Asks git and fetches files, before the transaction. */
  readonly prepare?: (context: StepContext, item: T) => Promise<Ready>
  /** Writes an item that is new. Returns what is wrong with one that is left out. */
  readonly place: (tx: Tx, context: StepContext, item: Ready) => string | null
}
