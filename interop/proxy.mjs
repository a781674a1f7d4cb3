// A proxy that adds the Authorization header: for clients that cannot send one of their own.
//   node proxy.mjs URL KEY        prints the port that it listens on
import http from "node:http";

const [url, key] = process.argv.slice(2);
const target = new URL(url);

const server = http.createServer((asked, answer) => {
  // The Host stays as the client sent it, because the server's own check of it is among what is tested.
  const headers = { ...asked.headers, authorization: `Bearer ${key}` };
  const { hostname: host, port } = target;
  const onward = http.request({ host, port, path: asked.url, method: asked.method, headers }, (reply) => {
    answer.writeHead(reply.statusCode, reply.headers);
    reply.pipe(answer);
  });
  onward.on("error", (error) => answer.writeHead(502).end(String(error)));
  answer.on("close", () => onward.destroy());
  asked.pipe(onward);
});

server.listen(0, "127.0.0.1", () => console.log(server.address().port));
