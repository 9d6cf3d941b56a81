import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Actor, Id, Nullable, OneOf, RepoPath, Time, Type } from '#core/schema.ts'
import { actorOf } from '#features/accounts/index.ts'
import { notFound } from '#lib/errors.ts'
import { pushSignatureFields } from '../schema-code.ts'
import { findCertificate } from '../store/push-certificates.ts'

export const getPushCertificate = operation({
  name: 'get_push_certificate',
  summary:
    'Get the certificate of a signed push, with its text and signature. The events git.push and pull.updated name it.',
  keywords: ['signed push', 'push --signed', 'verify who pushed', 'proof of a push'],
  route: 'GET /repos/{owner}/{name}/push-certificates/{id}',
  toolset: 'code',
  access: readsRepo({ scope: 'code:read' }),
  input: Type.Object({ repo: RepoPath, id: Id('pct') }),
  output: Type.Object(
    {
      id: Id('pct'),
      verified: pushSignatureFields.verified,
      reason: pushSignatureFields.reason,
      fingerprint: pushSignatureFields.fingerprint,
      kind: OneOf(['ssh', 'gpg']),
      pusher: Nullable(Actor),
      signer: Nullable(Actor),
      text: Type.String({ description: 'What was signed: the commands of the push.' }),
      signature: Type.String(),
      created_at: Time,
    },
    { $id: 'PushCertificate' },
  ),

  handler: ({ hearth, db, repo }, { id }) => {
    const row = findCertificate(db, repo.id, id)
    if (!row) throw notFound(`the push certificate ${id}`)
    const { reason, fingerprint, kind, signed: text, signature, created_at } = row
    return {
      id,
      verified: reason === 'valid',
      reason,
      fingerprint,
      kind,
      pusher: actorOf(hearth, row.pusher_id),
      signer: row.signer_id === null ? null : actorOf(hearth, row.signer_id),
      text,
      signature,
      created_at,
    }
  },
})
