import * as real from '../../shared/post.js';
import { simulation } from './here.js';

export const { newPost, portsOf } = real;

/** Nobody listens to its ports: the simulation has them read. Values are copied, and moved, as by real ones. */
export class Post extends real.Post {
  #heard: (() => void) | undefined;
  readonly #inbox: { hasNews: boolean };

  constructor(ports: ConstructorParameters<typeof real.Post>[0], receiver: real.Receiver) {
    const inbox = { hasNews: false };
    super(ports, {
      accept(received) {
        inbox.hasNews = true;
        receiver.accept(received);
      },
      lose(reason) {
        inbox.hasNews = true;
        receiver.lose(reason);
      },
    });
    this.#inbox = inbox;
  }

  override listen(heard: () => void): void {
    this.#heard = heard;
    simulation.posts.add(this);
  }

  override send(...message: Parameters<real.Post['send']>): void {
    super.send(...message);
    simulation.deliverSoon();
  }

  poll(): void {
    this.#inbox.hasNews = false;
    this.readAll();
    if (this.#inbox.hasNews) this.#heard?.();
  }

  override close(): void {
    simulation.posts.delete(this);
    super.close();
  }
}
