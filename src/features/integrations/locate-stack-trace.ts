/** Which files of a repository the calls of a stack trace are in. */
import type { Hearth } from '#core/hearth.ts'
import { locateFiles } from '#features/repos/index.ts'
import type { Oid } from '#git'
import { revisionsOf, type StackFrame, type StackTrace } from './stack-trace.ts'

export type LocatedFrame = Omit<StackFrame, 'paths'> & {
  /** The file in the repository; null for one that is not there. */
  readonly path: string | null
}

export type LocatedTrace = {
  /** The commit of the release, else of the default branch. */
  readonly commit: Oid
  /** The newest call first. */
  readonly frames: readonly LocatedFrame[]
}

/** Null for an empty repository. */
export async function locateStackTrace(
  hearth: Hearth,
  repo: { readonly id: string; readonly store: string },
  { frames, release }: StackTrace,
): Promise<LocatedTrace | null> {
  const located = await locateFiles(hearth, repo, {
    revisions: revisionsOf(release),
    files: frames.map(({ paths }) => paths),
  })
  return (
    located && {
      commit: located.commit,
      frames: frames.map(({ file, line, name }, at) => ({
        file,
        line,
        name,
        path: located.paths[at] ?? null,
      })),
    }
  )
}
