/** A repository with patterns, and commits that match them. */
import { createSecretPattern } from '#features/security/patterns/create-secret-pattern.ts'
import { listSecretPatterns } from '#features/security/patterns/list-secret-patterns.ts'
import { makeSecretsWorld } from '../secrets/fixture.ts'

/** A key of a service that the forge does not know. */
export const ACME_KEY = 'acme_k3j4h5g6f7d8s9a0q1w2'

export async function makePatternsWorld() {
  const forge = await makeSecretsWorld()
  const { world, ada, repo } = forge
  const add = (change: Record<string, unknown> = {}, as = ada) =>
    world.call(createSecretPattern, as, {
      repo,
      name: 'Acme key',
      pattern: 'acme_[a-z0-9]{20}',
      ...change,
    } as never)
  const patterns = async () => (await world.call(listSecretPatterns, ada, { repo })).items
  return { ...forge, add, patterns }
}
