import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { BaseInput, inQueue, requireQueueKey } from './inputs.ts'
import { queueRecord } from './queue-record.ts'
import { MergeQueue } from './schema.ts'

export const getMergeQueue = operation({
  name: 'get_merge_queue',
  summary:
    'The merge queue of a branch: pull requests that wait to land, in landing order with the state of each, and those that recently landed or left and why.',
  keywords: ['merge train', 'what waits to merge', 'position in the queue', 'queue status'],
  route: 'GET /repos/{owner}/{name}/queue',
  toolset: 'pulls',
  listed: 'default',
  access: readsRepo({ scope: 'pulls:read' }),
  input: Type.Object({ repo: RepoPath, base: BaseInput }),
  output: MergeQueue,
  untrusted: inQueue,

  handler: ({ hearth, db, repo }, { base }) => queueRecord(hearth, requireQueueKey(db, repo, base)),
})
