import { compareKeys } from '#lib/versions/sort-key.ts'
import { parseNugetVersion } from '#lib/versions/nuget.ts'
import type { Format, SnippetContext } from '../../format.ts'
import { textOf } from '../json.ts'
import { addressOf, normalNugetText, nugetKeyOf, renderNugetDocument } from './documents.ts'
import { parseNugetId } from './read-nuspec.ts'

const indexOf = ({ site_url, workspace }: SnippetContext): string =>
  `${addressOf(site_url, workspace)}/v3/index.json`

const addSource = (context: SnippetContext): string =>
  `dotnet nuget add source ${indexOf(context)} --name ${context.workspace} --username token --password $HEARTH_TOKEN --store-password-in-clear-text`

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
    {
      client: 'NuGet.Config',
      file: 'NuGet.Config',
      code: `<configuration>
  <packageSources>
    <add key="${context.workspace}" value="${indexOf(context)}" protocolVersion="3" />
  </packageSources>
</configuration>`,
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
  renderDocument: renderNugetDocument,
  sourceOf: ({ repository, projectUrl }) => textOf(repository) ?? textOf(projectUrl),
}
