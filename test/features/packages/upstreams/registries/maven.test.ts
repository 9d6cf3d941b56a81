/** Maven artifacts through an upstream that may be hostile. */
import { expect, test } from 'bun:test'
import { MINUTE } from '#lib/time.ts'
import { digestOf, makeServedUpstream } from '../fixture.ts'

const JAR = 'a jar'
const AT = 'org/pad/pad'

test('metadata, artifacts and their sums come through', async () => {
  const { registry, send, world } = await makeServedUpstream('maven')
  registry.set(`/${AT}/maven-metadata.xml`, '<metadata/>')
  registry.set(`/${AT}/1.0/pad-1.0.jar`, JAR)
  registry.set(`/${AT}/1.0/pad-1.0.jar.sha1`, `${digestOf('sha1', JAR)}  pad-1.0.jar`)
  registry.set(`/${AT}/1.0/pad-1.0.pom`, '<project/>')
  const text = async (path: string) => (await send(`${AT}/${path}`)).text()
  expect(await text('maven-metadata.xml')).toBe('<metadata/>')
  expect(await text('maven-metadata.xml.sha1')).toBe(digestOf('sha1', '<metadata/>'))
  expect(await text('1.0/pad-1.0.jar')).toBe(JAR)
  expect(await text('1.0/pad-1.0.jar.sha256')).toBe(digestOf('sha256', JAR))
  // It has no sum beside it.
  expect(await text('1.0/pad-1.0.pom')).toBe('<project/>')
  expect((await send(`${AT}/1.0/pad-1.0-sources.jar`)).status).toBe(404)
  expect((await send(`${AT}/1.0/pad-1.0-sources.jar.sha1`)).status).toBe(404)
  registry.isDown = true
  world.clock.advance(10 * MINUTE)
  expect(await text('1.0/pad-1.0.jar')).toBe(JAR)
  const stale = await send(`${AT}/maven-metadata.xml`)
  expect([stale.status, stale.headers.get('warning')]).toEqual([200, '110 - "Response is Stale"'])
})

test('wrong bytes are refused, groups can be reserved, and .. is never sent', async () => {
  const { registry, send } = await makeServedUpstream('maven', { reserved_prefixes: ['com.acme'] })
  registry.set(`/${AT}/1.0/pad-1.0.jar`, 'other bytes')
  registry.set(`/${AT}/1.0/pad-1.0.jar.sha1`, digestOf('sha1', JAR))
  expect((await send(`${AT}/1.0/pad-1.0.jar`)).status).toBe(503)
  const sent = registry.requests.length
  expect((await send('com/acme/tool/maven-metadata.xml')).status).toBe(404)
  expect((await send('com/acme/tool/1.0/tool-1.0.jar')).status).toBe(404)
  expect((await send('org/..%2f..%2f../pad/1.0/pad-1.0.jar')).status).toBe(404)
  expect(registry.requests.length).toBe(sent)
})

test('snapshots change', async () => {
  const { registry, send, world } = await makeServedUpstream('maven')
  const path = `${AT}/1.0-SNAPSHOT/pad-1.0-SNAPSHOT.jar`
  registry.set(`/${path}`, JAR)
  expect(await (await send(path)).text()).toBe(JAR)
  registry.set(`/${path}`, 'another build')
  world.clock.advance(10 * MINUTE)
  expect(await (await send(path)).text()).toBe('another build')
})
