import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { addKey } from '#features/keys/add-key.ts'
import { repoByPath } from '#features/repos/index.ts'
import { listEvents } from '#features/repos/profile/list-events.ts'
import { getPushCertificate } from '#features/repos/push/get-push-certificate.ts'
import { push } from '#features/repos/push/push.ts'
import { newSshKey } from '../../../ssh.ts'
import { makeWorld, refusal } from '../../../world.ts'

const REPO = 'acme/site'
const world = await makeWorld()
const ada = await world.user('ada')
const eve = await world.user('eve')
await world.workspace('acme', { owner: ada })
await world.repo(REPO, { private: true })
const one = await world.commit(REPO, 'main', { 'a.txt': 'a\n' })
const key = newSshKey()
await world.call(addKey, ada, { title: 'laptop', key: key.line })

let nonce = 0
/** Pushes a branch with a certificate, as the git server passes it on. */
async function pushSigned(branch: string, change: (signature: string) => string = (same) => same) {
  const signed = `certificate version 0.1\npusher ada\n\n${'0'.repeat(40)} ${one} refs/heads/${branch}\n`
  const { results } = await world.call(push, ada, {
    repo: REPO,
    updates: [{ name: `refs/heads/${branch}`, old: null, new: one }],
    certificate: { nonce: String(++nonce), signed, signature: change(`${key.sign(signed)}\n`) },
  })
  const [event] = (await world.call(listEvents, ada, { repo: REPO })).items
  return { refused: results[0]?.refused, event, signed }
}

test('gives what was signed to those who may read the code', async () => {
  const { refused, event, signed } = await pushSigned('one')
  expect(refused).toBeNull()
  expect(event?.data.signature).toMatchObject({ verified: true, signer: 'ada' })
  const { certificate: id } = (event?.data.signature ?? {}) as { certificate: string }
  const kept = await world.call(getPushCertificate, ada, { repo: REPO, id })
  expect(kept).toMatchObject({ id, text: signed, verified: true, reason: 'valid', kind: 'ssh' })
  expect(kept.fingerprint).toStartWith('SHA256:')
  for (const caller of [eve, anonymous])
    expect(await refusal(world.call(getPushCertificate, caller, { repo: REPO, id }))).toMatchObject(
      { status: 404 },
    )
  expect(
    await refusal(world.call(getPushCertificate, ada, { repo: REPO, id: 'pct_x' })),
  ).toMatchObject({ status: 404 })
})

test('a signature of another text refuses the push, and nothing is kept', async () => {
  const before = world.hearth.db.one('SELECT count(*) AS n FROM push_certificates')
  const other = `${key.sign('another text')}\n`
  expect(await refusal(pushSigned('two', () => other))).toMatchObject({
    status: 422,
    message: 'the signature of the push certificate is not one of its text',
  })
  expect(await refusal(pushSigned('two', (text) => text.slice(0, 60)))).toMatchObject({
    status: 422,
    message: 'the signature of the push certificate is malformed',
  })
  const repo_id = repoByPath(world.hearth.db, REPO)?.id ?? ''
  expect(
    world.hearth.db.one(
      'SELECT 1 FROM refs WHERE repo_id = ? AND name = ?',
      repo_id,
      'refs/heads/two',
    ),
  ).toBeNull()
  expect(world.hearth.db.one('SELECT count(*) AS n FROM push_certificates')).toEqual(before)
})

test('one of OpenPGP is kept, and does not count', async () => {
  const pgp = '-----BEGIN PGP SIGNATURE-----\n\nAAAA\n-----END PGP SIGNATURE-----\n'
  const { refused, event } = await pushSigned('three', () => pgp)
  expect(refused).toBeNull()
  expect(event?.data.signature).toMatchObject({
    verified: false,
    reason: 'unknown_key',
    signer: null,
    fingerprint: null,
  })
  expect(event?.summary).not.toContain('signed')
})
