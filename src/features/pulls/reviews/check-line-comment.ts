import { lineCheck } from '#features/issues/index.ts'
import { conflict } from '#lib/errors.ts'
import { commentableLines, requireInChange } from './line-comments.ts'
import { requirePull } from '../store-pulls.ts'

/** Implements the check that the feature issues calls before it stores a line comment. */
export const checkLineComment = lineCheck(
  async ({ hearth, db, repo }, { number, path, line, start_line, side }) => {
    const pull = requirePull(db, repo.id, number)
    if (pull.head_sha === null) throw conflict('not_ready', 'nothing has been pushed yet')
    const { mergeBase } = await hearth.git.countAheadBehind(
      repo.store,
      pull.head_sha,
      pull.base_sha,
    )
    requireInChange(
      await commentableLines(hearth.git, repo.store, mergeBase, pull.head_sha, [path]),
      { path, line, start_line, side },
    )
    return { commit: pull.head_sha }
  },
)
