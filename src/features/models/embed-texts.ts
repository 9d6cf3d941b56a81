/** Embeddings of texts by the model of a workspace, for the forge itself. */
import type { Hearth } from '#core/hearth.ts'
import { findAgent } from '#features/agents/index.ts'
import type { Embedder, EmbeddingRequest } from '#features/memory/index.ts'
import { arrayOf, objectOf } from '#lib/json-value.ts'
import { openEmbeddingCall, readEmbeddings } from './embedding-call.ts'
import { isAborted, isCallFailure } from './failure.ts'
import { pullIdOfAgent, type Payer } from './payer.ts'
import { findRoute } from './store-routes.ts'

/** An agent pays from its own budget. */
function payerOf(hearth: Hearth, { workspace_id, actor_id }: EmbeddingRequest): Payer {
  const agent = findAgent(hearth.db, actor_id)
  const pull_id = agent === null ? null : pullIdOfAgent(hearth.db, agent)
  return { workspace_id, task: 'embed', actor_id, pull_id }
}

async function embed(
  hearth: Hearth,
  request: EmbeddingRequest,
): Promise<readonly (readonly number[])[] | null> {
  const body = { input: request.texts, encoding_format: 'float' }
  try {
    const call = await openEmbeddingCall(hearth, payerOf(hearth, request), body, request.signal)
    const { answer } = await readEmbeddings(call, request.texts.length)
    const data = arrayOf(answer.data).map(objectOf)
    const ordered = data.every(({ index }) => typeof index === 'number')
      ? data.toSorted((a, b) => Number(a.index) - Number(b.index))
      : data
    return ordered.map(({ embedding }) => arrayOf(embedding) as number[])
  } catch (error) {
    if (isCallFailure(error) || isAborted(error)) return null
    throw error
  }
}

/** Null where no model is set for embeddings: that for all other tasks writes text. */
export function findEmbedder(hearth: Hearth, workspace_id: string): Embedder | null {
  const route = findRoute(hearth.db, workspace_id, 'embed')
  if (route?.task !== 'embed') return null
  return {
    model: `${route.integration_id} ${route.model}`,
    embed: (request) => embed(hearth, request),
  }
}
