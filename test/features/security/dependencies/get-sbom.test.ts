import { expect, test } from 'bun:test'
import { moveRefs, prepareUpdates, repoByPath } from '#features/repos/index.ts'
import { getSbom } from '#features/security/dependencies/get-sbom.ts'
import { LOCK, makeDependencyWorld, REPO } from './fixture.ts'

const repo = REPO

test('the bill of materials has packages, licenses and what needs what', async () => {
  const { world, ada, commit, ref } = await makeDependencyWorld()
  await commit({ 'package-lock.json': LOCK })
  const spdx = await world.call(getSbom, ada, { repo })
  expect(spdx).toMatchObject({ spdxVersion: 'SPDX-2.3', name: REPO, SPDXID: 'SPDXRef-DOCUMENT' })
  expect(spdx.documentNamespace).toEndWith(String(ref('main')))
  expect(spdx.packages).toMatchObject([
    { SPDXID: 'SPDXRef-Repository' },
    { name: 'deep', licenseDeclared: 'NOASSERTION', licenseComments: 'SEE LICENSE IN x' },
    { name: 'left', versionInfo: '1.2.0', licenseDeclared: 'MIT' },
    { name: 'tester', licenseDeclared: '(MIT OR Apache-2.0)' },
  ])
  expect(
    (spdx.relationships as Record<string, string>[]).map(
      ({ spdxElementId, relationshipType, relatedSpdxElement }) =>
        `${spdxElementId} ${relationshipType} ${relatedSpdxElement}`,
    ),
  ).toEqual([
    'SPDXRef-DOCUMENT DESCRIBES SPDXRef-Repository',
    'SPDXRef-Repository DEPENDS_ON SPDXRef-2-npm-left-1.2.0',
    'SPDXRef-3-npm-tester-2.0.0 DEV_DEPENDENCY_OF SPDXRef-Repository',
    'SPDXRef-2-npm-left-1.2.0 DEPENDS_ON SPDXRef-1-npm-deep-1.0.0',
  ])
  expect(await world.call(getSbom, ada, { repo, ref: 'main' })).toEqual(spdx)
})

test('a commit that claims a time beyond all years has a bill too', async () => {
  const { world, ada } = await makeDependencyWorld()
  await world.commit(REPO, 'main', { 'package-lock.json': LOCK }, { as: ada, time: 1e14 })
  expect(await world.call(getSbom, ada, { repo })).toMatchObject({
    creationInfo: { created: expect.stringContaining('9999') },
  })
})

test('CycloneDX has the same packages', async () => {
  const { world, ada, commit } = await makeDependencyWorld()
  await commit({ 'package-lock.json': LOCK })
  const bom = await world.call(getSbom, ada, { repo, format: 'cyclonedx' })
  expect(bom).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6' })
  expect(bom.serialNumber).toMatch(
    /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/,
  )
  expect(bom.components).toMatchObject([
    { purl: 'pkg:npm/deep@1.0.0', scope: 'required' },
    { purl: 'pkg:npm/left@1.2.0', licenses: [{ license: { id: 'MIT' } }] },
    { purl: 'pkg:npm/tester@2.0.0', scope: 'optional' },
  ])
  expect(bom.dependencies).toMatchObject([
    { dependsOn: ['pkg:npm/left@1.2.0', 'pkg:npm/tester@2.0.0'] },
    { ref: 'pkg:npm/deep@1.0.0', dependsOn: [] },
    { ref: 'pkg:npm/left@1.2.0', dependsOn: ['pkg:npm/deep@1.0.0'] },
    { ref: 'pkg:npm/tester@2.0.0', dependsOn: [] },
  ])
})

test('an empty repository has none', async () => {
  const { world, ada } = await makeDependencyWorld()
  await world.repo('acme/empty')
  await expect(world.call(getSbom, ada, { repo: 'acme/empty' })).rejects.toMatchObject({
    code: 'not_found',
  })
})

test('a commit whose time no date has is described too', async () => {
  const { world, ada } = await makeDependencyWorld()
  const { hearth } = world
  const repo = repoByPath(hearth.db, REPO)
  if (!repo) throw new Error('there is no repository')
  const author = { name: 'ada', email: 'ada@example.com', time: 9_000_000_000_000, zone: '+0000' }
  const { commit } = await hearth.git.commitFiles(repo.store, {
    parent: null,
    changes: [{ action: 'put', path: 'a', data: new Uint8Array() }],
    message: 'Later',
    author,
    committer: author,
  })
  const updates = [{ name: 'refs/heads/later', old: null, new: commit }]
  const prepared = await prepareUpdates(hearth, repo, updates)
  await world.write((tx) => moveRefs(tx, repo, prepared), ada)
  const document = await world.call(getSbom, ada, { repo: REPO, ref: 'later' })
  expect(document).toMatchObject({ creationInfo: { created: '9999-12-31T23:59:59Z' } })
})
