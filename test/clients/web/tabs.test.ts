import { expect, onTestFinished, test } from 'vitest'
import { createTabs } from '../../../clients/web/src/model/tabs.ts'

function channelOf(slug: string): BroadcastChannel {
  const channel = new BroadcastChannel(`fairgate.${slug}`)
  onTestFinished(() => channel.close())
  return channel
}

/** A tab of one fan; `server` is what it shows after it has read the state again. */
function tab(slug: string, server: { state: string }) {
  const self = { shows: server.state, follows: 0 }
  const tabs = createTabs({
    channel: channelOf(slug),
    shown: () => self.shows,
    async follow() {
      self.follows++
      self.shows = server.state
    },
  })
  return {
    self,
    act(state: string) {
      server.state = state
      self.shows = state
      tabs.changed()
    },
    tabs,
  }
}

test('what a fan does in one tab is shown by the other, which reports nothing back', async () => {
  const server = { state: 'event' }
  const [first, second] = [tab('in-step', server), tab('in-step', server)]
  second.act('line')
  await expect.poll(() => first.self.shows).toBe('line')
  expect([first.self.follows, second.self.follows]).toEqual([1, 0])
})

test('an act while the tab follows is reported when it has followed', async () => {
  const server = { state: 'event' }
  const [first, second] = [tab('busy', server), tab('busy', server)]
  first.act('signed in')
  await expect.poll(() => second.self.follows).toBe(1)
  second.act('line')
  await expect.poll(() => first.self.shows).toBe('line')
})

test('two tabs that cannot agree stop after a few answers', async () => {
  const heard: unknown[] = []
  channelOf('stubborn').addEventListener('message', ({ data }) => heard.push(data))
  const stubborn = (shows: string) =>
    createTabs({ channel: channelOf('stubborn'), shown: () => shows, follow: async () => {} })
  stubborn('b')
  stubborn('a').changed()
  await expect.poll(() => heard.at(-1)).toMatchObject({ answers: 3 })
})
