import { readsRepoAs } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { refuseFork } from '#features/issues/index.ts'
import { addSimilar, similarTo } from './embeddings.ts'
import { matchEachQuery } from './match-memories.ts'
import { isMember, memoryRecords } from './memory-record.ts'
import { listVisible, untrustedMemories } from './recall.ts'
import { Memories } from './schema.ts'
import type { Place } from './store.ts'

/** For the context of a workspace, which asks many repositories for several words each. */
export const searchMemories = operation({
  name: 'search_memories',
  summary:
    'Find the memories of a repository that have one of some words, the best of each word, and those of its workspace when asked. As `recall` gives them.',
  route: null,
  access: readsRepoAs('read', { scope: 'memory:read' }),
  input: Type.Object({
    repo: RepoPath,
    words: Type.Array(Type.String({ maxLength: 500 }), { maxItems: 10 }),
    limit: Type.Integer({ minimum: 1, maximum: 100, description: 'How many of each word.' }),
    with_workspace: Type.Boolean(),
  }),
  output: Type.Pick(Memories, ['project', 'workspace']),
  untrusted: untrustedMemories,

  handler: async ({ hearth, repo, caller, now_ms }, { words, limit, with_workspace }) => {
    refuseFork(repo)
    const findSimilar = await similarTo(
      hearth,
      { workspace_id: repo.workspace_id, actor_id: caller.id },
      // Only members use the model of the workspace, which pays for it.
      isMember(repo, caller) ? words.join(' ') : '',
    )
    const level = async (place: Place) => {
      const rows = listVisible({ hearth, repo, caller }, place)
      const matches = new Set(
        matchEachQuery(rows, words, now_ms).flatMap((found) => found.slice(0, limit)),
      )
      const found = addSimilar([...matches], await findSimilar(place, rows))
      return memoryRecords(hearth, repo, found)
    }
    const isShared = with_workspace && isMember(repo, caller)
    return {
      project: await level({ repo_id: repo.id }),
      workspace: isShared ? await level({ workspace_id: repo.workspace_id }) : [],
    }
  },
})
