/** Embeddings of texts by the model of a workspace, for the forge itself. */
import type { Hearth } from '#core/hearth.ts'
import { findAgent } from '#features/agents/index.ts'
import type { Embedder, EmbeddingRequest } from '#features/memory/index.ts'
import { findPull } from '#features/pulls/index.ts'
import { Refusal } from '#lib/errors.ts'
import { arrayOf, objectOf } from '#lib/json-value.ts'
import { OutboundError } from '#lib/outbound/outbound.ts'
import { openEmbeddingCall, readEmbeddings } from './embedding-call.ts'
import { ModelFailed } from './open-call.ts'
import type { Payer } from './payer.ts'
import { findRoute } from './store-routes.ts'
import { BadAnswer } from './wires/sse.ts'

/** An agent pays from its own budget. */
function payerOf(hearth: Hearth, { workspace_id, actor_id }: EmbeddingRequest): Payer {
  const agent = findAgent(hearth.db, actor_id)
  const pull =
    agent?.pull_number == null ? null : findPull(hearth.db, agent.repo_id, agent.pull_number)
  return { workspace_id, task: 'embed', actor_id, pull_id: pull?.id ?? null }
}

const isExpected = (error: unknown): boolean =>
  [Refusal, ModelFailed, OutboundError, BadAnswer].some((kind) => error instanceof kind) ||
  (error instanceof Error && ['AbortError', 'TimeoutError'].includes(error.name))

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
    if (isExpected(error)) return null
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
