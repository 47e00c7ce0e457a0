/** Keeps the tabs of one event in step: what a fan does in one of them, the others show. */
export interface Tabs {
  /** Notifies the other tabs that the account, the place, the hold or the orders have changed. */
  changed(): void
}

interface Message {
  /** What the sending tab shows. */
  readonly shown: string
  /** Answers to answers, so far. */
  readonly answers: number
}

/** Two tabs that cannot agree, because one of them is blocked, must not follow each other for ever. */
const MOST_ANSWERS = 3

interface Deps {
  /** Null in old browsers: each tab then shows the server's answers to its own requests. */
  channel: BroadcastChannel | null
  /** What this tab shows, as a key to compare. */
  shown(): string
  /** Reads the state again. */
  follow(): Promise<void>
}

export function createTabs({ channel, shown, follow }: Deps): Tabs {
  let isFollowing = false
  let next: Message | null = null

  const send = (answers: number) => channel?.postMessage({ shown: shown(), answers } satisfies Message)

  async function run() {
    isFollowing = true
    while (next) {
      const { shown: other, answers }: Message = next
      next = null
      await follow().catch(() => undefined)
      // The fan may have done something here in the meantime.
      if (shown() !== other && answers < MOST_ANSWERS) send(answers + 1)
    }
    isFollowing = false
  }
  channel?.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (data.shown === shown()) return
    next = data
    if (!isFollowing) void run()
  })
  return {
    changed() {
      if (!isFollowing) send(0)
    },
  }
}
