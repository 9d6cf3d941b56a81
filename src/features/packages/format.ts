/**
 * A format is what one kind of registry needs: its names, versions, addresses and documents. The
 * operations know formats through this type and the list in `formats/index.ts` only. How clients
 * are answered is in `door/format-door.ts`, because that calls the operations.
 */
import type { Hearth } from '#core/hearth.ts'
import type { PackageType } from './schema.ts'
import type { PackageRow } from './store.ts'

export type SnippetContext = {
  readonly site_url: string
  readonly workspace: string
  readonly name: string
  /** Null while nothing is published. */
  readonly version: string | null
  /** A file of that version, for formats whose files people name; null without one. */
  readonly path: string | null
  /** What an image is by its manifest, such as a chart of Helm; null elsewhere. */
  readonly artifact_type: string | null
  /** Whether clients need a token. Without one, a line that has it would be refused. */
  readonly isPrivate: boolean
}

/** Commands or settings for one client, as the page of the package shows them. */
export type Snippet = {
  /** The client, such as npm or yarn. */
  readonly client: string
  readonly code: string
  /** A file name when the code belongs into a file; null for commands. */
  readonly file: string | null
}

/** What the clients in a job need to find the registries of their workspace. */
export type JobClient = {
  readonly workspace: string
  /** Where the job reaches this site. */
  readonly site_url: string
  /** Every address of this site that a job may name, with `site_url`. */
  readonly site_urls: readonly string[]
  readonly token: string
  /** Whether the token may publish. */
  readonly mayPublish: boolean
  /** Whether the workspace has a package of this format whose name begins with the text. */
  readonly hasNames: (prefix: string) => boolean
}

export type Format = {
  readonly type: PackageType
  /** The name of a new package as it is stored. Throws 422 with the way out. */
  readonly parseName: (text: string) => string
  /** Two names with the same normal name are one package. Never throws. */
  readonly normalName: (name: string) => string
  /** Clients look for a name as it is written, so all versions have the spelling of the first. */
  readonly hasOneSpelling?: true
  /** Two versions with the same normal version are one. Never throws. */
  readonly normalVersion: (version: string) => string
  /** Negative when `a` comes before `b`, as the ecosystem orders. Gets normal versions. */
  readonly compareVersions: (a: string, b: string) => number
  readonly isPrerelease: (version: string) => boolean
  /** What a client is given for a package. */
  readonly address: (site_url: string, workspace: string, name: string) => string
  /** The address of a file; null when its path is none. */
  readonly fileUrl: (
    site_url: string,
    workspace: string,
    name: string,
    path: string,
  ) => string | null
  readonly install: (context: SnippetContext) => readonly Snippet[]
  /** A name that a first package could have. */
  readonly exampleName: (workspace: string) => string
  /** From nothing to the first published version. `name` is an example. */
  readonly publish: (context: SnippetContext) => readonly Snippet[]
  /**
   * Settings with the token of a job, by path below its home. Names of other registries mean what
   * they meant before. Without it, clients need the token in their commands.
   */
  readonly jobFiles?: (client: JobClient) => Readonly<Record<string, string>>
  /**
   * Renders one of the documents of the format, for `read_package_document`; null for a kind that
   * it does not have. The result is kept until the package changes.
   */
  readonly renderDocument: (
    hearth: Hearth,
    row: PackageRow,
    workspace: string,
    kind: string,
  ) => { readonly text: string; readonly content_type: string } | null
  /** The repository that the metadata names, as a URL or `<owner>/<name>`; null for none. */
  readonly sourceOf: (metadata: Readonly<Record<string, unknown>>) => string | null
}
