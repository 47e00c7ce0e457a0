// The web worker that makes a draw again, so that the page stays responsive for any number of fans.
import { drawPlace, type PublishedDraw } from './drawPlace.ts'

export interface DrawRequest {
  readonly draw: PublishedDraw
  readonly arrival: number
}

export type DrawMessage = { readonly progress: number } | { readonly place: number }

const send = (message: DrawMessage) => postMessage(message)

addEventListener('message', async ({ data: { draw, arrival } }: MessageEvent<DrawRequest>) => {
  send({ place: await drawPlace(draw, arrival, (progress) => send({ progress })) })
})
