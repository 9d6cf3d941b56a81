import { expect, test } from 'bun:test'
import { insertJob } from '#core/jobs.ts'
import { openImageBlob } from '#features/packages/images/open-image-blob.ts'
import { purgePackages } from '#features/packages/purge-packages.ts'
import { DAY } from '#lib/time.ts'
import { refusal } from '../../../world.ts'
import { image, makeImageWorld } from '../image-fixture.ts'

test('a layer that no manifest names goes a day later; others stay', async () => {
  const { world, ada, mel, link, push } = await makeImageWorld()
  await push('used', ['v1'])
  const used = await link('used')
  const unused = await link('unused')
  const open = (digest: string, who = ada) => world.call(openImageBlob, who, { ...image, digest })
  expect((await refusal(open(used, mel))).status).toBe(404)
  const sweep = async () => {
    await world.write((tx) => void insertJob(tx.db, purgePackages, null, tx.now_ms))
    await world.jobs()
  }
  await sweep()
  expect((await open(unused)).size_in_bytes).toBe(6)
  world.clock.advance(DAY + 1000)
  await sweep()
  expect((await refusal(open(unused))).status).toBe(404)
  expect((await open(used)).size_in_bytes).toBe(4)
})
