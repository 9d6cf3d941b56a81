import type { Hearth } from '#core/hearth.ts'
import { compareMavenVersions } from '#lib/versions/maven.ts'
import type { Format, JobClient, SnippetContext } from '../../format.ts'
import type { PackageRow } from '../../store.ts'
import { textOf } from '../json.ts'
import { isUnencrypted } from '../client-address.ts'
import { renderArtifactMetadata, renderSnapshotMetadata } from './metadata.ts'
import { isSnapshot, parseMavenName } from './paths.ts'

/** Qualifiers of versions before a release. */
const EARLY = /[.-](?:alpha|beta|milestone|rc|cr|[abm]\d)/i

const addressOf = (site_url: string, workspace: string): string =>
  `${site_url}/packages/${workspace}/maven/`

/** Kinds: `metadata`, and `snapshot <version>`. */
function renderDocument(
  hearth: Hearth,
  row: PackageRow,
  _workspace: string,
  kind: string,
): { text: string; content_type: string } | null {
  const text = kind.startsWith('snapshot ')
    ? renderSnapshotMetadata(hearth, row, kind.slice('snapshot '.length))
    : kind === 'metadata'
      ? renderArtifactMetadata(hearth, row)
      : null
  return text === null ? null : { text, content_type: 'application/xml' }
}

const settings = ({ workspace }: SnippetContext) => ({
  client: 'settings.xml',
  file: '~/.m2/settings.xml',
  code: `<settings>
  <servers>
    <server>
      <id>${workspace}</id>
      <username>token</username>
      <password>\${env.HEARTH_TOKEN}</password>
    </server>
  </servers>
</settings>`,
})

const repository = ({ site_url, workspace }: SnippetContext, name: string, indent: string) =>
  `${indent}<${name}>
${indent}  <id>${workspace}</id>
${indent}  <url>${addressOf(site_url, workspace)}</url>
${indent}</${name}>`

function gradleRepository({ site_url, workspace, isPrivate }: SnippetContext): string {
  const insecure = isUnencrypted(site_url) ? ['    isAllowInsecureProtocol = true'] : []
  const credentials = [
    '    credentials {',
    '      username = "token"',
    '      password = System.getenv("HEARTH_TOKEN")',
    '    }',
  ]
  return [
    '  maven {',
    `    url = uri("${addressOf(site_url, workspace)}")`,
    ...insecure,
    ...(isPrivate ? credentials : []),
    '  }',
  ].join('\n')
}

/**
 * The profile with the name of the workspace reads from here and deploys to here, whatever the POM
 * says. Maven refuses http but from `localhost`, which names of its subdomains are not. Version 2 of
 * its plugin for deployment takes an address with its layout only, and version 3 takes it too.
 */
function jobFiles({ workspace, site_url, token }: JobClient) {
  const url = addressOf(
    site_url.replace(/^(http:\/\/)[^/:]+\.localhost\b/, '$1localhost'),
    workspace,
  )
  const repository = `<repository><id>${workspace}</id><url>${url}</url></repository>`
  return {
    '.m2/settings.xml': `<settings>
  <servers>
    <server><id>${workspace}</id><username>token</username><password>${token}</password></server>
  </servers>
  <profiles>
    <profile>
      <id>${workspace}</id>
      <properties><altDeploymentRepository>${workspace}::default::${url}</altDeploymentRepository></properties>
      <repositories>${repository}</repositories>
    </profile>
  </profiles>
</settings>
`,
  }
}

export const maven: Format = {
  type: 'maven',
  parseName: parseMavenName,
  normalName: (name) => name,
  normalVersion: (version) => version,
  compareVersions: compareMavenVersions,
  isPrerelease: (version) => isSnapshot(version) || EARLY.test(version),
  address: (site_url, workspace) => addressOf(site_url, workspace),
  fileUrl: (site_url, workspace, name, path) => {
    const [groupId = '', artifactId = ''] = name.split(':')
    return `${addressOf(site_url, workspace)}${groupId.replaceAll('.', '/')}/${artifactId}/${path}`
  },
  exampleName: (workspace) => `com.${workspace}:hello`,
  install: (context) => {
    const [groupId = '', artifactId = ''] = context.name.split(':')
    const version = context.version ?? '1.0.0'
    return [
      {
        client: 'Maven',
        file: 'pom.xml',
        code: `<repositories>
${repository(context, 'repository', '  ')}
</repositories>
<dependencies>
  <dependency>
    <groupId>${groupId}</groupId>
    <artifactId>${artifactId}</artifactId>
    <version>${version}</version>
  </dependency>
</dependencies>`,
      },
      {
        client: 'Gradle',
        file: 'build.gradle.kts',
        code: `repositories {
${gradleRepository(context)}
}
dependencies {
  implementation("${context.name}:${version}")
}`,
      },
      ...(context.isPrivate ? [settings(context)] : []),
      { client: 'mvn', file: null, code: 'mvn compile' },
    ]
  },
  publish: (context) => [
    settings(context),
    {
      client: 'Maven',
      file: 'pom.xml',
      code: `<distributionManagement>
${repository(context, 'repository', '  ')}
${repository(context, 'snapshotRepository', '  ')}
</distributionManagement>`,
    },
    { client: 'mvn', file: null, code: 'mvn deploy' },
  ],
  jobFiles,
  renderDocument,
  sourceOf: ({ scm, url }) => textOf(scm) ?? textOf(url),
}
