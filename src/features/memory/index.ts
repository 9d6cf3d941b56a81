/** What is remembered about repositories and workspaces, for people and agents. A leaf. */
import type { Feature } from '#core/hearth.ts'
import type { Job } from '#core/jobs.ts'
import { repoDataRemovers } from '#features/repos/index.ts'
import { embedMemories } from './embeddings.ts'
import * as operations from './operations.ts'
import { removeMemoriesOfRepo } from './store.ts'

export * from './operations.ts'
export * from './schema.ts'
export { embedders, type Embedder, type EmbeddingRequest } from './embeddings.ts'
export { findSimilarMemories, takeMemories } from './prompt-memories.ts'
export { wordsOf } from './fold-text.ts'
export { findMemory } from './store.ts'

export const feature: Feature = {
  name: 'memory',
  operations: Object.values(operations),
  jobs: [embedMemories] as Job[],
  extensions: [repoDataRemovers.with(removeMemoriesOfRepo)],
}
