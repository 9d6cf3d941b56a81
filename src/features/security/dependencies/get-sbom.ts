import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { FreeForm, OneOf, RepoPath, Type } from '#core/schema.ts'
import { commitTime } from '#features/repos/index.ts'
import { notFound } from '#lib/errors.ts'
import { commitOf } from './commit-of.ts'
import { cyclonedxDocument } from './cyclonedx.ts'
import { readLockFiles } from './lock-files.ts'
import { componentsOf, SBOM_FORMATS, type SbomSubject } from './sbom.ts'
import { RefInput } from './schema.ts'
import { spdxDocument } from './spdx.ts'

export const getSbom = operation({
  name: 'get_sbom',
  summary:
    'The software bill of materials of a commit: its packages with versions, licenses and what needs what, as SPDX 2.3 JSON, or CycloneDX 1.6 JSON with format cyclonedx.',
  keywords: ['SBOM', 'SPDX', 'CycloneDX', 'export dependencies', 'bill of materials'],
  route: 'GET /repos/{owner}/{name}/dependencies/sbom',
  toolset: 'security',
  access: readsRepo({ scope: 'code:read' }),
  input: Type.Object({
    repo: RepoPath,
    ref: RefInput,
    format: Type.Optional(
      OneOf(SBOM_FORMATS, { description: 'SPDX 2.3 unless given; cyclonedx is CycloneDX 1.6.' }),
    ),
  }),
  output: FreeForm({ description: 'The document in the format that was asked for.' }),
  untrusted: () => [''],

  handler: async ({ hearth, repo, signal }, { ref, format = 'spdx' }) => {
    const oid = await commitOf(hearth, repo, ref)
    const commit = oid === null ? null : await hearth.git.readCommit(repo.store, oid)
    if (commit === null) throw notFound(`a commit of ${repo.full_name}`)
    const { version, site_url } = hearth.settings
    const subject: SbomSubject = {
      full_name: repo.full_name,
      url: `${site_url}/${repo.full_name}`,
      commit: commit.oid,
      committed_at: commitTime(commit.committer.time),
      tool: { name: 'hearth', version },
    }
    const components = componentsOf(await readLockFiles(hearth, repo.store, commit.oid, signal))
    return format === 'spdx'
      ? spdxDocument(subject, components)
      : cyclonedxDocument(subject, components)
  },
})
