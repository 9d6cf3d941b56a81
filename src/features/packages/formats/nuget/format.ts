import { compareKeys } from '#lib/versions/sort-key.ts'
import { parseNugetVersion } from '#lib/versions/nuget.ts'
import type { Format, JobClient, SnippetContext } from '../../format.ts'
import { textOf } from '../json.ts'
import { isUnencrypted } from '../client-address.ts'
import { addressOf, normalNugetText, nugetKeyOf, renderNugetDocument } from './documents.ts'
import { parseNugetId } from './read-nuspec.ts'

const indexOf = ({ site_url, workspace }: SnippetContext): string =>
  `${addressOf(site_url, workspace)}/v3/index.json`

const addSource = (context: SnippetContext): string =>
  [
    `dotnet nuget add source ${indexOf(context)} --name ${context.workspace}`,
    ...(context.isPrivate
      ? ['--username token --password $HEARTH_TOKEN --store-password-in-clear-text']
      : []),
    ...(isUnencrypted(context.site_url) ? ['--allow-insecure-connections'] : []),
  ].join(' ')

/** The name of an element of XML, which begins with no digit (`XmlConvert.EncodeLocalName`). */
const elementName = (name: string): string =>
  name.replace(/^\d/, (digit) => `_x00${digit.charCodeAt(0).toString(16)}_`)

/** NuGet puts the value of the variable in place of its name. */
function configFile(context: SnippetContext): string {
  const { workspace, isPrivate, site_url } = context
  const insecure = isUnencrypted(site_url) ? ' allowInsecureConnections="true"' : ''
  const element = elementName(workspace)
  const credentials = `  <packageSourceCredentials>
    <${element}>
      <add key="Username" value="token" />
      <add key="ClearTextPassword" value="%HEARTH_TOKEN%" />
    </${element}>
  </packageSourceCredentials>
`
  return `<configuration>
  <packageSources>
    <add key="${workspace}" value="${indexOf(context)}" protocolVersion="3"${insecure} />
  </packageSources>
${isPrivate ? credentials : ''}</configuration>`
}

/**
 * A second source makes NuGet warn where versions are managed centrally (NU1507), so it is there only
 * when the workspace has packages. The credentials hold for a source of that name in any case.
 */
function jobFiles({ workspace, site_url, token, hasNames }: JobClient) {
  const source = `    <add key="${workspace}" value="${addressOf(site_url, workspace)}/v3/index.json" protocolVersion="3" allowInsecureConnections="true" />\n`
  const element = elementName(workspace)
  const config = `<?xml version="1.0" encoding="utf-8"?>
<configuration>
  <packageSources>
    <add key="nuget.org" value="https://api.nuget.org/v3/index.json" protocolVersion="3" />
${hasNames('') ? source : ''}  </packageSources>
  <packageSourceCredentials>
    <${element}>
      <add key="Username" value="token" />
      <add key="ClearTextPassword" value="${token}" />
    </${element}>
  </packageSourceCredentials>
</configuration>
`
  // dotnet reads the first, nuget.exe on mono the second.
  return { '.nuget/NuGet/NuGet.Config': config, '.config/NuGet/NuGet.Config': config }
}

export const nuget: Format = {
  type: 'nuget',
  parseName: parseNugetId,
  normalName: (name) => name.toLowerCase(),
  normalVersion: normalNugetText,
  compareVersions: (a, b) => compareKeys(nugetKeyOf(a), nugetKeyOf(b)),
  isPrerelease: (version) => (parseNugetVersion(version)?.prerelease.length ?? 0) > 0,
  address: (site_url, workspace) => `${addressOf(site_url, workspace)}/v3/index.json`,
  fileUrl: (site_url, workspace, name, path) =>
    `${addressOf(site_url, workspace)}/v3/flat/${name.toLowerCase()}/${path}`,
  exampleName: () => 'Hello',
  install: (context) => [
    {
      client: 'dotnet',
      file: null,
      code: `${addSource(context)}\ndotnet add package ${context.name}${
        context.version === null ? '' : ` --version ${context.version}`
      }`,
    },
    { client: 'NuGet.Config', file: 'NuGet.Config', code: configFile(context) },
    {
      client: 'nuget',
      file: null,
      code: `nuget install ${context.name}${
        context.version === null ? '' : ` -Version ${context.version}`
      } -OutputDirectory packages`,
    },
  ],
  publish: (context) => [
    {
      client: 'dotnet',
      file: null,
      code: `${addSource(context)}\ndotnet pack\ndotnet nuget push bin/Release/*.nupkg --source ${context.workspace} --api-key $HEARTH_TOKEN`,
    },
    {
      client: 'nuget',
      file: null,
      code: `nuget pack ${context.name}.nuspec\nnuget push ${context.name}.${context.version ?? '1.0.0'}.nupkg -Source ${indexOf(context)} -ApiKey $HEARTH_TOKEN`,
    },
  ],
  jobFiles,
  renderDocument: renderNugetDocument,
  sourceOf: ({ repository, projectUrl }) => textOf(repository) ?? textOf(projectUrl),
}
