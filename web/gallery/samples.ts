// Sample values for the gallery: made-up people, issues, changes. Nothing here is used by a page.
import type { BlameMark } from '../components/code-view.tsx'
import type { DiffFile, DiffLine } from '../components/diff-view.tsx'
import type { CommitSummary, IssueSummary, PullSummary, RepoListItem } from '../components/rows.tsx'
import type { StoryEntry } from '../components/session-story.tsx'
import type { TreeEntry } from '../components/tree-table.tsx'

export const now = Date.parse('2026-03-12T14:05:00.000Z')
const ago = (minutes: number): string => new Date(now - minutes * 60_000).toISOString()

export const ada = { username: 'ada', kind: 'user', name: 'Ada Moreau' }
export const kofi = { username: 'kofi', kind: 'user', name: 'Kofi Mensah' }
export const mei = { username: 'mei-lin', kind: 'user', name: 'Mei-Lin Zhou' }
export const agent = {
  username: 'ada/stoker',
  kind: 'agent',
  name: 'stoker',
  on_behalf_of: { username: 'ada' },
}
export const workspace = {
  slug: 'northwind',
  name: 'Northwind Bakery',
  description: 'Ovens, timers and the shop around them',
}

export const labels = [
  { name: 'bug', color: 'd1493f', description: 'Something does not work' },
  { name: 'feature', color: '3f7fd0' },
  { name: 'docs', color: '2f9e83' },
  { name: 'good first issue', color: '9560cf' },
  { name: 'security', color: '1a1a1a' },
  { name: 'question', color: 'ffe600' },
]

export const issues: IssueSummary[] = [
  {
    number: 214,
    repo: 'northwind/oven',
    title: 'Timer keeps running after the door is opened',
    state: 'open',
    author: kofi,
    assignees: [ada, mei],
    comments_count: 6,
    pulls: [{ number: 219, status: 'open' }],
    milestone: { title: 'Spring' },
    created_at: ago(95),
  },
  {
    number: 198,
    repo: 'northwind/oven',
    title:
      'Readings from the second thermometer drift by two degrees over a long bake when the fan is on',
    state: 'closed',
    reason: 'completed',
    author: ada,
    assignees: [],
    comments_count: 0,
    pulls: [{ number: 202, status: 'merged' }],
    created_at: ago(9_000),
    closed_at: ago(2_000),
  },
  {
    number: 171,
    repo: 'northwind/oven',
    title: 'Support gas ovens',
    state: 'closed',
    reason: 'not_planned',
    author: agent,
    comments_count: 2,
    created_at: ago(60_000),
    closed_at: ago(58_000),
  },
]

export const pulls: PullSummary[] = [
  {
    number: 219,
    repo: 'northwind/oven',
    title: 'Stop the timer when the door opens',
    status: 'open',
    author: agent,
    agent: 'stoker',
    issue: 214,
    checks_status: 'passed',
    approvals: { required: 2, counted: 1 },
    additions: 84,
    deletions: 19,
    comments_count: 3,
    created_at: ago(40),
  },
  {
    number: 218,
    repo: 'northwind/oven',
    title: 'Rename readings to samples',
    status: 'draft',
    author: mei,
    checks_status: 'pending',
    additions: 312,
    deletions: 298,
    created_at: ago(300),
  },
  {
    number: 215,
    repo: 'northwind/oven',
    title: 'Refuse a target temperature below zero',
    status: 'open',
    author: kofi,
    checks_status: 'failed',
    approvals: { required: 2, counted: 2 },
    queue: { position: 2 },
    additions: 9,
    deletions: 1,
    created_at: ago(700),
  },
  {
    number: 202,
    repo: 'northwind/oven',
    title: 'Calibrate both thermometers at start',
    status: 'merged',
    author: ada,
    issue: 198,
    checks_status: 'passed',
    additions: 1204,
    deletions: 33,
    comments_count: 14,
    created_at: ago(4_000),
    merged_at: ago(2_000),
  },
  {
    number: 190,
    repo: 'northwind/oven',
    title: 'Try a different scheduler',
    status: 'closed',
    author: mei,
    checks_status: 'errored',
    created_at: ago(20_000),
    closed_at: ago(15_000),
  },
]

export const repos: RepoListItem[] = [
  {
    full_name: 'northwind/oven',
    description: 'Firmware and scheduler of the deck oven. Holds a target within half a degree.',
    language: 'Rust',
    topics: ['embedded', 'control-loop'],
    stars_count: 128,
    open_issues_count: 12,
    open_pulls_count: 3,
    pushed_at: ago(40),
  },
  {
    full_name: 'northwind/ledger',
    description: 'What was baked and sold',
    private: true,
    language: 'TypeScript',
    open_issues_count: 2,
    pushed_at: ago(8_000),
  },
  { full_name: 'northwind/old-site', archived: true, language: 'PHP', pushed_at: ago(900_000) },
]

export const commits: CommitSummary[] = [
  {
    sha: '8f2c1d9e4b7a60534c1f2e3d4c5b6a7980716253',
    title: 'Stop the timer when the door opens',
    message:
      'Stop the timer when the door opens\n\nThe interrupt of the door switch was only read in idle state.\nRead it in every state, and hold the remaining time.',
    author: { name: 'ada/stoker', date: ago(40), actor: agent },
    pull: 219,
    verification: { verified: true },
  },
  {
    sha: '17b0aa43c9d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8',
    title: 'Debounce the switch',
    author: { name: 'Kofi Mensah', date: ago(170), actor: kofi },
    verification: { verified: false },
  },
  {
    sha: '0c4ed2f19a8b7c6d5e4f3a2b1c0d9e8f7a6b5c4d',
    title: 'Import of the old repository',
    author: { name: 'Northwind Robot', date: ago(500_000), actor: null },
  },
]

export const tree: TreeEntry[] = [
  {
    name: 'src',
    path: 'src',
    type: 'dir',
    last_commit: {
      sha: commits[0]?.sha ?? '',
      title: 'Stop the timer when the door opens',
      date: ago(40),
    },
  },
  {
    name: 'tests',
    path: 'tests',
    type: 'dir',
    last_commit: { sha: commits[1]?.sha ?? '', title: 'Debounce the switch', date: ago(170) },
  },
  { name: 'vendor-hal', path: 'vendor-hal', type: 'submodule', last_commit: null },
  {
    name: 'Cargo.toml',
    path: 'Cargo.toml',
    type: 'file',
    last_commit: {
      sha: commits[2]?.sha ?? '',
      title:
        'Import of the old repository with a title that is far too long to fit into one row of this table',
      date: ago(500_000),
    },
  },
  { name: 'LATEST', path: 'LATEST', type: 'symlink', last_commit: null },
  {
    name: 'README.md',
    path: 'README.md',
    type: 'file',
    last_commit: {
      sha: commits[2]?.sha ?? '',
      title: 'Import of the old repository',
      date: ago(500_000),
    },
  },
]

export const source = `//! Holds the remaining time of a bake.
use std::time::{Duration, Instant};

/// A timer that can be held while the door is open.
pub struct Timer {
    left: Duration,
    since: Option<Instant>,
}

impl Timer {
    pub fn new(minutes: u64) -> Self {
        Self { left: Duration::from_secs(minutes * 60), since: None }
    }

    /// Stops counting; \`resume\` goes on from the same place.
    pub fn hold(&mut self, now: Instant) {
        if let Some(since) = self.since.take() {
            self.left = self.left.saturating_sub(now - since);
            log::info!("held with {} s left", self.left.as_secs());
        }
    }
}
`

export const blame: BlameMark[] = [
  { from_line: 101, to_line: 103, mark: 'Import of the old repository' },
  { from_line: 104, to_line: 113, mark: 'Debounce the switch' },
  { from_line: 114, to_line: 122, mark: 'Stop the timer when the door opens' },
]

const line = (kind: DiffLine['kind'], text: string, no_newline = false): DiffLine => ({
  kind,
  text,
  no_newline,
})

export const diff: DiffFile[] = [
  {
    path: 'src/timer.rs',
    status: 'modified',
    additions: 6,
    deletions: 3,
    hunks: [
      {
        old_start: 12,
        old_lines: 9,
        new_start: 12,
        new_lines: 12,
        heading: 'impl Timer',
        lines: [
          line('context', '    }'),
          line('context', ''),
          line('del', '    pub fn stop(&mut self) {'),
          line('del', '        self.since = None;'),
          line('add', '    /// Stops counting; `resume` goes on from the same place.'),
          line('add', '    pub fn hold(&mut self, now: Instant) {'),
          line('add', '        if let Some(since) = self.since.take() {'),
          line('add', '            self.left = self.left.saturating_sub(now - since);'),
          line('add', '        }'),
          line('context', '    }'),
          line('context', '}'),
        ],
      },
      {
        old_start: 48,
        old_lines: 3,
        new_start: 51,
        new_lines: 3,
        heading: 'fn main',
        lines: [
          line('context', '    let mut timer = Timer::new(45);'),
          line('del', '    door.on_open(|| timer.stop());'),
          line('add', '    door.on_open(|now| timer.hold(now));', true),
        ],
      },
    ],
  },
  {
    path: 'src/door/switch.rs',
    old_path: 'src/switch.rs',
    status: 'renamed',
    additions: 0,
    deletions: 0,
    hunks: [],
  },
  { path: 'docs/panel.png', status: 'added', additions: 0, deletions: 0, binary: true, hunks: [] },
  {
    path: 'Cargo.lock',
    status: 'modified',
    additions: 4_812,
    deletions: 390,
    generated: true,
    reason: 'too_large',
    hunks: [],
  },
  {
    path: 'scripts/flash.sh',
    status: 'modified',
    additions: 0,
    deletions: 0,
    old_mode: '100644',
    mode: '100755',
    hunks: [],
    viewed: true,
  },
]

export const markdown = `# Deck oven

Holds a target within **half a degree**. Made by @kofi and @northwind/bakers, see #214, northwind/ledger#9 and 8f2c1d9e4b7a.

> [!NOTE]
> Open the door and the timer waits.

> [!WARNING]
> The top heater stays hot for ten minutes.

## Build

1. Install the toolchain
2. Run the line below
   - with \`--release\` for the board
   - without for a desk

\`\`\`sh
cargo build --release && ./scripts/flash.sh /dev/ttyUSB0 # takes a minute
\`\`\`

- [x] Timer
- [ ] Second thermometer

| Heater | Watts | Zone |
| :-- | --: | :-: |
| top | 1,800 | 1 |
| bottom | 2,400 | 2 |

> "A good oven is a patient one."

<details><summary>Wiring</summary>

Red is 24 V. Press <kbd>Reset</kbd> after every change.

</details>
`

const entry = (
  seq: number,
  kind: string,
  text: string,
  rest: Partial<StoryEntry> = {},
): StoryEntry => ({ seq, kind, text, at: ago(60 - seq * 2), author: agent, ...rest })

export const story: StoryEntry[] = [
  entry(1, 'message', 'Please fix #214. The time that is left must survive an open door.', {
    author: ada,
    data: { role: 'user' },
  }),
  entry(2, 'plan', '', {
    data: {
      steps: [
        { text: 'Find where the door switch is read', done: true },
        { text: 'Hold the timer', done: true },
        { text: 'Try it on the bench', done: false },
      ],
    },
  }),
  entry(3, 'tool', '', {
    tool: 'read_file',
    data: { input: { path: 'src/timer.rs' }, ok: true, duration_ms: 12 },
  }),
  entry(4, 'result', '46 lines', { data: { of: 3, ok: true } }),
  entry(
    5,
    'thought',
    'The interrupt is only read while idle. Holding belongs into the timer, not into the loop.',
  ),
  entry(6, 'edit', '', { data: { paths: ['src/timer.rs', 'src/main.rs'] } }),
  entry(7, 'tool', 'error[E0502]: cannot borrow `timer` as mutable', {
    tool: 'bash',
    data: { input: { command: 'cargo test' }, ok: false, exit_code: 101, duration_ms: 18_400 },
  }),
  entry(
    8,
    'message',
    'The borrow checker wants the time from outside, so `hold` takes **now** as an argument.',
    { data: { role: 'agent' } },
  ),
  entry(9, 'tool', 'test result: ok. 41 passed', {
    tool: 'bash',
    data: { input: { command: 'cargo test' }, ok: true, exit_code: 0, duration_ms: 21_000 },
  }),
  entry(10, 'checkpoint', '', { data: { sha: commits[0]?.sha, files: 2 } }),
  entry(11, 'check', '', { data: { command: 'cargo test --all', status: 'passed' } }),
  entry(12, 'question', 'Should a held timer beep?', { data: { to: 'ada', answered_by: 13 } }),
  entry(13, 'answer', 'No, the lamp is enough.', { author: ada, data: { of: 12 } }),
  entry(14, 'error', 'The board did not answer on the bench.', { data: { code: 'device' } }),
  entry(15, 'usage', '', {
    data: { model: 'example-large', input_tokens: 182_400, output_tokens: 9_310, cost_usd: 0.84 },
  }),
  entry(
    16,
    'summary',
    'The timer is **held** while the door is open and goes on afterwards. Two files changed, 41 tests pass.',
    { redacted: true },
  ),
]
