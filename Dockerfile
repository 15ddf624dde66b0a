# docker build -t orgsync-conformance .
# docker run --rm -v "$PWD:/work" --user "$(id -u):$(id -g)" orgsync-conformance run --profile orgsync.yaml

FROM node:24-slim AS build
WORKDIR /suite
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build && npm prune --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:24-slim
COPY --from=build /suite/package.json /suite/
COPY --from=build /suite/node_modules /suite/node_modules
COPY --from=build /suite/bin /suite/bin
COPY --from=build /suite/dist /suite/dist
COPY --from=build /suite/fixtures /suite/fixtures
COPY --from=build /suite/keys /suite/keys
# The profile is read here, and reports go below it.
WORKDIR /work
RUN chown node:node /work
# The user node, as a number: by a name alone Kubernetes cannot tell that it is not root.
USER 1000:1000
ENTRYPOINT ["node", "/suite/bin/orgsync-conformance.js"]
CMD ["--help"]
