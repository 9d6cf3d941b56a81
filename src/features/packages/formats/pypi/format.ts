import { normalPythonName } from '#lib/lock-files/python.ts'
import { canonicalPythonText, isPythonPrerelease, pythonKey } from '#lib/versions/pep440.ts'
import { compareKeys } from '#lib/versions/sort-key.ts'
import type { Format, JobClient, SnippetContext } from '../../format.ts'
import { textOf, textsOf } from '../json.ts'
import { withToken } from '../client-address.ts'
import { filesAddress, renderPypiDocument } from './documents.ts'
import { parsePythonName } from './names.ts'

export const addressOf = (site_url: string, workspace: string): string =>
  `${site_url}/packages/${workspace}/pypi`

const SOURCE_LABELS = /^(?:source(?: code)?|repository|code|github|homepage)$/i

/** `Label, https://…` of the fields `project_url`. */
function sourceOf(metadata: Readonly<Record<string, unknown>>): string | null {
  for (const line of textsOf(metadata.project_url)) {
    const comma = line.indexOf(',')
    const label = line.slice(0, Math.max(0, comma)).trim()
    if (SOURCE_LABELS.test(label)) return line.slice(comma + 1).trim()
  }
  return textOf(metadata.home_page)
}

const requirementOf = ({ name, version }: SnippetContext): string =>
  version === null ? name : `${name}==${version}`

function envName(workspace: string): string {
  return workspace.toUpperCase().replace(/[^A-Z0-9]/g, '_')
}

/** For `twine upload --repository <workspace>`. pip has no settings that hold for one index alone. */
const jobFiles = ({ workspace, site_url, token }: JobClient) => ({
  '.pypirc': `[distutils]
index-servers =
    pypi
    ${workspace}

[${workspace}]
repository = ${addressOf(site_url, workspace)}/
username = __token__
password = ${token}
`,
})

export const pypi: Format = {
  type: 'pypi',
  parseName: parsePythonName,
  normalName: normalPythonName,
  normalVersion: canonicalPythonText,
  compareVersions: (a, b) => compareKeys(pythonKey(a), pythonKey(b)),
  isPrerelease: isPythonPrerelease,
  address: (site_url, workspace) => `${addressOf(site_url, workspace)}/simple/`,
  fileUrl: (site_url, workspace, name, path) =>
    `${filesAddress(site_url, workspace, normalPythonName(name))}/${encodeURIComponent(path)}`,
  exampleName: (workspace) => `${workspace}-hello`,
  install: (context) => {
    const { workspace, site_url, isPrivate } = context
    const simple = `${addressOf(site_url, workspace)}/simple/`
    const variable = `UV_INDEX_${envName(workspace)}`
    const credentials = `export ${variable}_USERNAME=__token__ ${variable}_PASSWORD=$HEARTH_TOKEN\n`
    return [
      {
        client: 'pip',
        file: null,
        code: `pip install --extra-index-url ${isPrivate ? withToken(simple, '__token__') : simple} ${requirementOf(context)}`,
      },
      {
        client: 'uv',
        file: null,
        code: `${isPrivate ? credentials : ''}uv add --index ${workspace}=${simple} ${requirementOf(context)}`,
      },
    ]
  },
  publish: ({ site_url, workspace }) => [
    {
      client: 'twine',
      file: null,
      code: `python -m build\ntwine upload --repository-url ${addressOf(site_url, workspace)}/ --username __token__ --password $HEARTH_TOKEN dist/*`,
    },
    {
      client: 'uv',
      file: null,
      code: `uv build\nuv publish --publish-url ${addressOf(site_url, workspace)}/ --token $HEARTH_TOKEN`,
    },
  ],
  jobFiles,
  renderDocument: renderPypiDocument,
  sourceOf,
}
