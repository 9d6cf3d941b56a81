// All components with sample data in all their states, on one page for developers. It is served in
// development only.
import { icons } from '../assets/icons.ts'
import {
  ActionButton,
  Avatar,
  AvatarStack,
  Badge,
  BinaryNote,
  Breadcrumbs,
  Button,
  ButtonGroup,
  Card,
  CheckState,
  Checkbox,
  Chip,
  CodeView,
  Columns,
  Commands,
  Comment,
  CommentBox,
  CommentClosed,
  CommitRow,
  CopyField,
  DiffView,
  Dropdown,
  EmptyState,
  ErrorPage,
  Facts,
  Field,
  FieldSet,
  FileFrame,
  FilterBar,
  Flash,
  Form,
  FormActions,
  Icon,
  IssueRow,
  IssueState,
  Kbd,
  Label,
  Labels,
  Layout,
  LinkButton,
  List,
  MarkdownBody,
  Menu,
  Notice,
  PageHead,
  Pager,
  Pagination,
  ActorLink,
  PullRow,
  PullState,
  Radio,
  Reactions,
  RelativeTime,
  RepoHeader,
  RepoRow,
  Select,
  SessionStory,
  SideBlock,
  SideNav,
  Stat,
  Tabs,
  TextArea,
  Timeline,
  TimelineEvent,
  TokenSecret,
  TreeTable,
  WorkspaceHeader,
  type IconName,
  type Tab,
} from './components/index.ts'
import { highlightLines } from './highlight.ts'
import type { Child } from './jsx/html.ts'
import { renderMarkdown } from './markdown.ts'
import type { PageMarkdown } from './markdown/page-markdown.ts'
import { raw } from './jsx/html.ts'
import { labelColors } from './palette.ts'
import * as sample from './gallery/samples.ts'

const csrf = 'sample'
const link = { siteUrl: '', repo: 'northwind/oven' }
/** A renderer for the samples, which need no budget. */
const atOnce: Pick<PageMarkdown, 'place' | 'placeSource'> = {
  place: (text, options, show = (html) => html) => show(renderMarkdown(text, options)),
  placeSource: (texts, grammar, render) =>
    render(texts.map((text) => highlightLines(text, grammar))),
}
const { now } = sample

const repoTabs: Tab[] = [
  { label: 'Code', href: '#code', icon: 'code', hotkey: 'g c', current: true },
  { label: 'Issues', href: '#issues', icon: 'issue', count: 12, hotkey: 'g i' },
  { label: 'Pull requests', href: '#pulls', icon: 'pull', count: 3, hotkey: 'g p' },
  { label: 'Queue', href: '#queue', icon: 'queue', count: 1 },
  { label: 'Runs', href: '#runs', icon: 'play' },
  { label: 'Activity', href: '#activity', icon: 'activity' },
  { label: 'Releases', href: '#releases', icon: 'tag', count: 24 },
  { label: 'Packages', href: '#packages', icon: 'package' },
  { label: 'Security', href: '#security', icon: 'shield', count: 2 },
  { label: 'Settings', href: '#settings', icon: 'settings' },
]

const Part = ({ title, children }: { title: string; children?: Child }) => (
  <section class="stack" id={title.toLowerCase().replaceAll(' ', '-')} aria-label={title}>
    <h2>{title}</h2>
    {children}
  </section>
)

const Buttons = () => (
  <Part title="Buttons">
    <div class="actions">
      <Button variant="primary" icon="plus">
        New issue
      </Button>
      <Button>Plain</Button>
      <Button variant="danger" icon="trash">
        Delete
      </Button>
      <Button variant="quiet">Quiet</Button>
      <Button disabled>Disabled</Button>
      <Button icon="edit" label="Edit" />
      <LinkButton href="#x" icon="external">
        A link
      </LinkButton>
      <Button small variant="primary">
        Small
      </Button>
      <Button small>Small</Button>
      <ButtonGroup label="View">
        <LinkButton href="#u" current>
          Unified
        </LinkButton>
        <LinkButton href="#s">Split</LinkButton>
      </ButtonGroup>
      <ActionButton action="#star" csrf={csrf}>
        <Button icon="star">Star</Button>
      </ActionButton>
      <Menu
        label="More"
        summary={<Icon name="more" />}
        align="left"
        items={[
          { label: 'Copy link', href: '#c', icon: 'link' },
          { label: 'Edit', href: '#e', icon: 'edit', hint: 'Only you can' },
          'line',
          { label: 'Chosen', href: '#d', current: true },
        ]}
      />
      <Dropdown
        label="Clone"
        align="left"
        summary={
          <>
            <Icon name="download" /> Clone
          </>
        }
      >
        <CopyField
          label="HTTPS"
          id="clone-sample"
          value="https://hearth.example/northwind/oven.git"
        />
      </Dropdown>
    </div>
  </Part>
)

const VisibilityFields = () => (
  <FieldSet legend="Visibility">
    <Radio name="visibility" value="public" label="Public" hint="Everyone can see it." checked />
    <Radio name="visibility" value="private" label="Private" hint="Only members can." />
  </FieldSet>
)

const TokenCard = () => (
  <Card title="Access token">
    <TokenSecret secret="hrt_01jq9z4m7w8xkq2v3c5b6n7m8p9a0s1d2f3g">
      It can do what you can, until 12 June 2026.
    </TokenSecret>
  </Card>
)

const Forms = () => (
  <Part title="Forms">
    <Columns side={<TokenCard />} where="right">
      <Form
        action="#form"
        csrf={csrf}
        error="The repository was not made: one field needs another look."
      >
        <Field
          name="name"
          label="Name"
          required
          value="oven stove"
          error="Use letters, digits, dots, hyphens and underscores"
          hint="Part of the address."
          mono
        />
        <Field name="description" label="Description" placeholder="One line" />
        <Select
          name="workspace"
          label="Workspace"
          required
          value="northwind"
          options={[
            { value: 'northwind', label: 'Northwind Bakery' },
            { value: 'ada', label: 'Ada' },
          ]}
        />
        <TextArea name="body" label="Text" value={'Two lines\nof text'} hint="Markdown" />
        <VisibilityFields />
        <Checkbox
          name="protected"
          label="Protect the default branch"
          checked
          hint="Changes land through pull requests."
        />
        <Checkbox name="locked" label="Not to be changed" disabled />
        <Field
          name="password"
          type="password"
          label="Password"
          required
          autocomplete="new-password"
        />
        <Field name="fixed" label="Fixed" value="cannot change" disabled />
        <FormActions>
          <Button variant="primary">Make repository</Button>
          <LinkButton href="#cancel" variant="quiet">
            Cancel
          </LinkButton>
        </FormActions>
      </Form>
    </Columns>
  </Part>
)

const BadgeRow = () => (
  <p class="actions">
    <IssueState issue={{ state: 'open' }} />
    <IssueState issue={{ state: 'closed', reason: 'completed' }} />
    <IssueState issue={{ state: 'closed', reason: 'not_planned' }} />
    <PullState status="draft" />
    <PullState status="open" />
    <PullState status="merged" />
    <PullState status="closed" />
    <Badge icon="clock" tone="wait">
      Waiting
    </Badge>
    <Badge icon="info" tone="info">
      Told
    </Badge>
  </p>
)

const ChipRow = () => (
  <p class="actions">
    <Labels labels={sample.labels} />
  </p>
)

const Words = () => (
  <Part title="Labels, states and people">
    <BadgeRow />
    <p class="actions">
      {['passed', 'failed', 'errored', 'pending', 'queued', 'running', 'cancelled', 'skipped'].map(
        (status) => (
          <CheckState status={status} />
        ),
      )}
    </p>
    <p class="actions">
      <Chip>Private</Chip>
      <Chip icon="archive" tone="wait">
        Archived
      </Chip>
      <Chip icon="shield" tone="good">
        Verified
      </Chip>
      <Chip tone="bad">exit 101</Chip>
      <Stat additions={84} deletions={19} />
      <Kbd>Ctrl</Kbd> <Kbd>Enter</Kbd>
      <RelativeTime at="2026-03-12T13:25:00.000Z" now={now} />
    </p>
    <ChipRow />
    <p class="actions">
      {labelColors.map((color) => (
        <Label label={{ name: color, color }} />
      ))}
    </p>
    <p class="actions">
      <ActorLink of={sample.ada} />
      <ActorLink of={sample.agent} />
      <ActorLink of={{ username: 'northwind', kind: 'workspace' }} />
      <ActorLink of={{ username: 'ghost' }} />
      <ActorLink of={null} />
      <AvatarStack people={[sample.ada, sample.kofi, sample.mei, sample.agent]} max={3} />
      {['bo', 'cy', 'dee', 'eve', 'finn', 'gus', 'hal'].map((username) => (
        <Avatar of={{ username }} size={32} />
      ))}
      {['a/x', 'b/y', 'c/z', 'd/w'].map((username) => (
        <Avatar of={{ username, kind: 'agent' }} size={32} />
      ))}
    </p>
  </Part>
)

const Lists = () => (
  <Part title="Lists">
    <List
      label="Issues"
      head={
        <FilterBar
          label="State"
          filters={[
            { label: 'Open', href: '#o', icon: 'issue', count: 12, current: true },
            { label: 'Closed', href: '#c', icon: 'check', count: 1_204 },
          ]}
        >
          <Menu
            label="Sort"
            summary={<Icon name="sort" />}
            items={[
              { label: 'Newest', href: '#n', current: true },
              { label: 'Oldest', href: '#o' },
            ]}
          />
        </FilterBar>
      }
    >
      {sample.issues.map((issue, index) => (
        <IssueRow
          issue={issue}
          labels={{ labels: sample.labels.slice(index, index + 2), more: 0 }}
          now={now}
        />
      ))}
    </List>
    <Pagination page={6} perPage={30} total={1_204} href={(page) => `#page-${page}`} />
    <List label="Pull requests">
      {sample.pulls.map((pull, index) => (
        <PullRow
          pull={pull}
          labels={{ labels: index === 0 ? sample.labels.slice(0, 1) : [], more: 0 }}
          withRepo={index === 4}
          now={now}
        />
      ))}
    </List>
    <Pager newer="#newer" older="#older" />
    <List label="Repositories">
      {sample.repos.map((repo) => (
        <RepoRow repo={repo} now={now} />
      ))}
    </List>
    <List label="Commits">
      {sample.commits.map((commit, index) => (
        <CommitRow
          commit={commit}
          repo="northwind/oven"
          checks={index === 0 ? 'passed' : undefined}
          now={now}
        />
      ))}
    </List>
  </Part>
)

const ConversationSide = () => (
  <>
    <SideBlock
      title="Assignees"
      action={<Button icon="edit" label="Change assignees" small variant="quiet" />}
    >
      <ActorLink of={sample.ada} />
    </SideBlock>
    <SideBlock title="Labels">
      <Labels labels={sample.labels.slice(0, 2)} />
    </SideBlock>
    <SideBlock title="Milestone">
      <span class="muted">None yet</span>
    </SideBlock>
  </>
)

const SampleDescription = () => (
  <Comment
    id="description"
    author={sample.kofi}
    at="2026-03-12T12:30:00.000Z"
    now={now}
    role="Author"
    edited
    body={
      <MarkdownBody
        text={
          'Open the door at 10 minutes: the display goes on counting.\n\n```rust\nlet left = timer.left();\n```'
        }
        options={{ link, page: atOnce }}
      />
    }
    menu={[
      { label: 'Copy link', href: '#description', icon: 'link' },
      { label: 'Edit', href: '#edit', icon: 'edit' },
    ]}
    reactions={<Reactions reactions={{ '+1': 3, eyes: 1, heart: 0 }} action="#react" csrf={csrf} />}
  />
)

const SampleTimeline = () => (
  <Timeline>
    <SampleDescription />
    <TimelineEvent icon="tag" actor={sample.ada} at="2026-03-12T12:40:00.000Z" now={now}>
      added <Label label={{ name: 'bug', color: 'd1493f' }} />
    </TimelineEvent>
    <TimelineEvent
      icon="pull"
      tone="good"
      actor={sample.agent}
      at="2026-03-12T13:25:00.000Z"
      now={now}
    >
      opened <a href="#219">#219 Stop the timer when the door opens</a>
    </TimelineEvent>
    <Comment
      id="c2"
      author={sample.agent}
      at="2026-03-12T13:30:00.000Z"
      now={now}
      body={
        <MarkdownBody
          text="Done in #219. The timer **waits** now."
          options={{ link, page: atOnce }}
        />
      }
    />
    <Comment
      id="c3"
      author={sample.mei}
      at="2026-03-12T13:40:00.000Z"
      now={now}
      verb="approved these changes"
      tone="good"
      body={<MarkdownBody text="Tried it on the bench." options={{ page: atOnce }} />}
    />
    <Comment
      id="c4"
      author={sample.kofi}
      at="2026-03-12T13:50:00.000Z"
      now={now}
      verb="requested changes"
      tone="bad"
      body={<MarkdownBody text="What when the power goes?" options={{ page: atOnce }} />}
    />
    <TimelineEvent
      icon="merge"
      tone="done"
      actor={sample.ada}
      at="2026-03-12T14:04:50.000Z"
      now={now}
    >
      merged #219
    </TimelineEvent>
  </Timeline>
)

const SampleCommentBox = () => (
  <CommentBox
    action="#comment"
    csrf={csrf}
    viewer={sample.ada}
    repo="bakery/oven"
    error="Write something first"
    extra={
      <Button name="close" value="true" icon="check-circle">
        Close issue
      </Button>
    }
  />
)

const Conversation = () => (
  <Part title="Conversation">
    <Columns where="right" side={<ConversationSide />}>
      <SampleTimeline />
      <SampleCommentBox />
      <CommentClosed signIn="#login">Sign in to join the conversation.</CommentClosed>
    </Columns>
  </Part>
)

const Code = () => {
  const lines = highlightLines(sample.source, 'rust')
  return (
    <Part title="Code">
      <Breadcrumbs
        parts={[{ label: 'oven', href: '#r' }, { label: 'src', href: '#s' }, { label: 'timer.rs' }]}
      />
      <TreeTable
        entries={sample.tree}
        repo="northwind/oven"
        rev="main"
        up="#up"
        now={now}
        head={
          <span>
            <ActorLink of={sample.agent} /> Stop the timer when the door opens
          </span>
        }
      />
      <FileFrame
        lines={lines.length}
        bytes={sample.source.length}
        facts={<span>Rust</span>}
        actions={
          <>
            <LinkButton small href="#raw">
              Raw
            </LinkButton>
            <LinkButton small href="#blame">
              Blame
            </LinkButton>
            <Button small icon="copy" label="Copy the file" copy={sample.source} />
          </>
        }
      >
        <CodeView lines={lines} label="src/timer.rs" />
      </FileFrame>
      <FileFrame name="src/timer.rs" notice="Only the first 22 of 5,000 lines are shown.">
        <CodeView
          lines={lines}
          label="src/timer.rs with the commits behind it"
          from={101}
          blame={sample.blame}
        />
      </FileFrame>
      <FileFrame name="docs/panel.png">
        <BinaryNote bytes={48_213} href="#raw" />
      </FileFrame>
      <FileFrame name="README.md">
        <MarkdownBody text={sample.markdown} options={{ link, page: atOnce }} />
      </FileFrame>
    </Part>
  )
}

const Changes = () => {
  const options = {
    commentHref: (lineId: string) => `?on=${lineId}`,
    loadHref: (path: string) => `#load-${path}`,
    expandHref: (_anchor: string, from: number, to: number) => `#expand-${from}-${to}`,
    fileHref: () => '#file',
  }
  const thread = {
    path: 'src/timer.rs',
    side: 'new' as const,
    line: 17,
    content: (
      <ol>
        <Comment
          id="t1"
          author={sample.mei}
          at="2026-03-12T13:40:00.000Z"
          now={now}
          body={<MarkdownBody text="Nice: it cannot go below zero." options={{ page: atOnce }} />}
        />
      </ol>
    ),
  }
  return (
    <Part title="Changes">
      <DiffView
        files={sample.diff}
        options={{ ...options, page: atOnce, threads: [thread] }}
        head={
          <ButtonGroup label="View">
            <LinkButton small href="#u" current>
              Unified
            </LinkButton>
            <LinkButton small href="#s">
              Split
            </LinkButton>
          </ButtonGroup>
        }
      />
      <DiffView
        files={sample.diff.slice(0, 1).map((file) => ({ ...file, path: 'src/timer-split.rs' }))}
        options={{ ...options, page: atOnce, split: true }}
      />
    </Part>
  )
}

const FirstPushCard = () => (
  <Card title="Push your first commit" footer="The branch main is made by the first push.">
    <Commands>
      {'git remote add origin https://hearth.example/northwind/oven.git\ngit push -u origin main'}
    </Commands>
    <Facts
      facts={[
        { label: 'Default branch', value: 'main' },
        { label: 'Size', value: '4.2 MiB' },
        { label: 'Made by', value: <ActorLink of={sample.ada} /> },
      ]}
    />
  </Card>
)

const SettingsNav = () => (
  <SideNav
    label="Settings"
    groups={[
      {
        title: 'You',
        tabs: [
          { label: 'Profile', href: '#p', icon: 'user', current: true },
          { label: 'Emails', href: '#m', icon: 'mail' },
        ],
      },
      {
        title: 'Access',
        tabs: [
          { label: 'Tokens', href: '#t', icon: 'key', count: 3 },
          { label: 'Applications', href: '#a', icon: 'device' },
        ],
      },
    ]}
  />
)

const Messages = () => (
  <Part title="Messages and empty places">
    <Flash kind="good">Repository made.</Flash>
    <Flash kind="bad">That did not work: main has moved.</Flash>
    <Notice kind="wait" title="Checks are running">
      The result is usually there within two minutes.
    </Notice>
    <Notice title="Your address is not confirmed">
      Open the link in the message we sent to <strong>ada@example.org</strong>.
    </Notice>
    <EmptyState
      icon="issue"
      title="No issues yet"
      actions={
        <LinkButton href="#new" variant="primary" icon="plus">
          New issue
        </LinkButton>
      }
    >
      <p>
        An issue says what should change. Write one, and ask an agent or a person to work on it.
      </p>
    </EmptyState>
    <FirstPushCard />
    <Card
      title="Danger"
      tone="bad"
      actions={
        <Button variant="danger" small>
          Delete repository
        </Button>
      }
    >
      Gone after thirty days.
    </Card>
    <Columns side={<SettingsNav />}>
      <ErrorPage status={404} title="There is nothing here" requestId="req_01jq9z4m7w">
        <p>
          The page was moved, or you may not see it. If it should be here, sign in or ask its owner.
        </p>
      </ErrorPage>
    </Columns>
    <Tabs label="Parts" tabs={repoTabs.slice(0, 4)} />
    <WorkspaceHeader
      workspace={sample.workspace}
      tabs={repoTabs.slice(1, 5)}
      actions={
        <LinkButton href="#new" variant="primary" icon="plus" small>
          New repository
        </LinkButton>
      }
    />
  </Part>
)

const Icons = () => (
  <Part title="Icons">
    <p class="actions">
      {(Object.keys(icons) as IconName[]).map((name) => (
        <span title={name}>
          <Icon name={name} label={name} size={20} />
        </span>
      ))}
    </p>
  </Part>
)

/** The page. */
export const Gallery = ({ theme }: { theme?: 'light' | 'dark' }) => (
  <Layout
    title="Parts"
    theme={theme}
    viewer={{ ...sample.ada, site_admin: true, unread: 2 }}
    csrf={csrf}
    search={{ scope: 'northwind/oven' }}
    flash={{ kind: 'good', text: 'Your changes were saved.' }}
    header={
      <RepoHeader
        repo={{ full_name: 'northwind/oven', private: true }}
        tabs={repoTabs}
        actions={
          <>
            <Button small icon="star">
              Star
            </Button>
            <LinkButton small href="#fork" icon="fork">
              Forks
            </LinkButton>
          </>
        }
      />
    }
    noindex
  >
    <PageHead
      title="Parts of the pages"
      lead="Each in all its states."
      actions={
        <Button variant="primary" icon="plus">
          New issue
        </Button>
      }
    />
    <Buttons />
    <Words />
    <Lists />
    <Conversation />
    <Part title="Session">
      <SessionStory
        entries={sample.story}
        render={(text) => <div class="md">{raw(renderMarkdown(text, { link }))}</div>}
        commitHref={(sha) => `#${sha}`}
        now={now}
      />
    </Part>
    <Code />
    <Changes />
    <Forms />
    <Messages />
    <Icons />
  </Layout>
)
