// What the pages of packages share: addresses, rows, and commands for clients.
import {
  typeName,
  type Package,
  type PackageType,
  type PublishingSteps,
  type Snippet,
} from '#features/packages/index.ts'
import {
  Card,
  Chip,
  Commands,
  EmptyState,
  Icon,
  List,
  RelativeTime,
  Row,
  TextBeginning,
} from '../../components/index.ts'
import type { Child } from '../../jsx/html.ts'
import { newTokenPath, workspacePath } from '../../paths.ts'
import { rich, t, tn } from '../../text.ts'

export const packagePath = (
  { workspace, package_type, name }: Pick<Package, 'workspace' | 'package_type' | 'name'>,
  rest = '',
): string => workspacePath(workspace, `packages/${package_type}/${encodeURIComponent(name)}${rest}`)

/** What a list shows of a description; the page of the package has all of it. */
const MAX_DESCRIPTION_BYTES = 500

const PackageRow = ({ item }: { item: Package }) => (
  <Row
    mark={<Icon name={item.visibility === 'private' ? 'lock' : 'package'} />}
    title={
      <a class="strong" href={packagePath(item)}>
        {item.name}
      </a>
    }
    meta={
      <>
        <Chip>{typeName(item.package_type)}</Chip>
        {item.latest !== null && <span class="mono">{item.latest}</span>}
        <span>{tn('{count} version', '{count} versions', item.version_count)}</span>
        <span>{tn('{count} download', '{count} downloads', item.download_count)}</span>
        <span>{rich('changed {time}', { time: <RelativeTime at={item.updated_at} /> })}</span>
      </>
    }
  >
    {item.description !== null && (
      <p class="muted small">
        <bdi>
          <TextBeginning
            text={item.description}
            maxBytes={MAX_DESCRIPTION_BYTES}
            href={packagePath(item)}
          />
        </bdi>
      </p>
    )}
  </Row>
)

export const PackageList = ({ items, head }: { items: readonly Package[]; head?: Child }) => (
  <List label={t('Packages')} head={head}>
    {items.map((item) => (
      <PackageRow item={item} />
    ))}
  </List>
)

/** The commands of each client, or the lines that belong into a file of theirs. */
export const Snippets = ({ snippets }: { snippets: readonly Snippet[] }) => (
  <div class="snippets">
    {snippets.map(({ client, code, file }) => (
      <div class="snippet">
        <p class="small strong">{file === null ? client : file}</p>
        <Commands label={t('Copy for {client}', { client })}>{code}</Commands>
      </div>
    ))}
  </div>
)

/** From nothing to the first package: for one registry, or for each of them. */
export const PublishingGuide = ({
  steps,
  only = null,
}: {
  steps: readonly PublishingSteps[]
  /** The registry whose steps are shown alone. */
  only?: PackageType | null
}) => (
  <Card title={t('Publish a package')}>
    <p>
      {rich(
        'Create a <tokens>token</tokens> with the scope packages:write and set it for the commands below. A job of a workflow has its own token there.',
        { tokens: (inner) => <a href={newTokenPath('packages', 'packages:write')}>{inner}</a> },
      )}
    </p>
    <Commands label={t('Copy the command')}>{'export HEARTH_TOKEN=<token>'}</Commands>
    {steps.map(({ type, address, snippets }) =>
      only === null ? (
        <details class="registry">
          <summary>
            <Icon name="chevron-right" />
            <span class="strong">{typeName(type)}</span>
            <span class="muted mono small break">{address}</span>
          </summary>
          <Snippets snippets={snippets} />
        </details>
      ) : (
        type === only && <Snippets snippets={snippets} />
      ),
    )}
  </Card>
)

export const NoPackages = ({ children }: { children?: Child }) => (
  <EmptyState icon="package" title={t('No packages yet')}>
    {children}
  </EmptyState>
)
