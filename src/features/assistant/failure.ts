/** How long a model may take for an answer, and what is said when it took longer. */
import { modelFailure } from '#features/models/index.ts'
import { MINUTE } from '#lib/time.ts'

export const MAX_ANSWERING_MS = 5 * MINUTE

export const failureOf = (error: unknown): { code: string; message: string } =>
  modelFailure(error, 'the model took longer than 5 minutes')
