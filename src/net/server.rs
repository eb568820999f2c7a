//! Evaluation by another program, such as `training/serve.py` on a GPU.
//!
//! The program listens on a TCP port. The client greets it with `PONNUKI2`, then the length
//! of the network's name as a u32 and the name. The server answers with the number of
//! policies and the number of scores of that network, as two u32. A request consists of the
//! numbers of columns, rows and positions as three u32; then for each position one u32 per
//! point, rows from the top (bit i: plane i, bit 31: the play is legal), and the 19 global
//! features as f32. The answer has for each position, as f32: the logits of each policy
//! (points, then the pass), 3 of the result, the scores, and the ownership by point. All
//! numbers are little-endian.

use super::model::{GLOBALS, Model};
use super::planes::Features;
use super::workspace::Raw;
use crate::util::locked;
use std::io::{Error, ErrorKind, Read, Result, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::Mutex;

const MAGIC: &[u8; 8] = b"PONNUKI2";

/// Marks a point where the player to move may play.
pub(super) const LEGAL: u32 = 1 << 31;

/// Maximum number of positions in a request.
pub(super) const MOST_IN_REQUEST: usize = 2048;

/// A program that evaluates positions.
pub(super) struct Server {
    address: String,
    /// Name of the network that the server evaluates.
    network: String,
    policies: usize,
    scores: usize,
    /// Idle connections.
    spare: Mutex<Vec<TcpStream>>,
    failure: Mutex<Option<String>>,
}

impl Server {
    /// Connect to a server at `HOST:PORT` that has this network.
    ///
    /// # Errors
    /// If the connection fails, or the server's network is missing or has different outputs.
    pub(super) fn connect(address: &str, model: &Model) -> Result<Server> {
        let server = Server {
            address: address.to_owned(),
            network: model.name.clone(),
            policies: model.policy.conv2.outputs,
            scores: model.value.score.product.outputs,
            spare: Mutex::default(),
            failure: Mutex::default(),
        };
        let first = server.open()?;
        locked(&server.spare).push(first);
        Ok(server)
    }

    /// Open another connection.
    fn open(&self) -> Result<TcpStream> {
        let address = self.address.to_socket_addrs()?.next();
        let address = address.ok_or_else(|| Error::new(ErrorKind::NotFound, "no such host"))?;
        let mut stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        let name = self.network.as_bytes();
        let greeting = [MAGIC, &(name.len() as u32).to_le_bytes()[..], name].concat();
        stream.write_all(&greeting)?;
        for wanted in [self.policies, self.scores] {
            let mut answer = [0; 4];
            stream.read_exact(&mut answer).map_err(|e| match e.kind() {
                ErrorKind::UnexpectedEof => Error::other(format!(
                    "the server does not have the network {}",
                    self.network
                )),
                _ => e,
            })?;
            if u32::from_le_bytes(answer) as usize != wanted {
                return Err(Error::other("the server's network has different outputs"));
            }
        }
        Ok(stream)
    }

    /// Count the numbers in the answer for a position on a board of `area` points.
    fn outputs(&self, area: usize) -> usize {
        self.policies * (area + 1) + 3 + self.scores + area
    }

    /// Evaluate positions on boards of one size. On failure, all outputs are NaN, and
    /// [`Server::failure`] states the reason.
    pub(super) fn forward(&self, positions: &[&Features], raw: &mut Vec<Raw>) {
        if raw.len() < positions.len() {
            raw.resize_with(positions.len(), Raw::default);
        }
        let size = positions.first().map_or((1, 1), |p| p.size);
        let failed = locked(&self.failure).is_some();
        let answer = match failed {
            true => Err(Error::other("an earlier request failed")),
            false => self.ask(size, positions),
        };
        let area = size.0 * size.1;
        let outputs = self.outputs(area);
        let answer = answer.unwrap_or_else(|e| {
            locked(&self.failure).get_or_insert_with(|| format!("{}: {e}", self.address));
            // A float with all bits set is NaN.
            vec![0xff; 4 * outputs * positions.len()]
        });
        for (raw, bytes) in raw.iter_mut().zip(answer.chunks_exact(4 * outputs)) {
            let mut numbers = bytes.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b));
            raw.policy.resize_with(self.policies, Vec::new);
            for policy in &mut raw.policy {
                policy.clear();
                policy.extend(numbers.by_ref().take(area + 1));
            }
            raw.result = std::array::from_fn(|_| numbers.next().unwrap_or(f32::NAN));
            raw.score = [0.0; 6];
            for score in raw.score.iter_mut().take(self.scores) {
                *score = numbers.next().unwrap_or(f32::NAN);
            }
            raw.ownership.clear();
            raw.ownership.extend(numbers);
        }
    }

    /// Send a request and return the bytes of the answer.
    fn ask(&self, size: (usize, usize), positions: &[&Features]) -> Result<Vec<u8>> {
        let (area, count) = (size.0 * size.1, positions.len());
        let mut request = Vec::with_capacity(12 + count * 4 * (area + GLOBALS));
        for n in [size.0, size.1, count] {
            request.extend((n as u32).to_le_bytes());
        }
        for position in positions {
            let planes = position.planes.iter().flat_map(|p| p.to_le_bytes());
            request.extend(planes);
            let globals = position.globals.iter().flat_map(|g| g.to_le_bytes());
            request.extend(globals);
        }
        let mut answer = vec![0; 4 * self.outputs(area) * count];
        let spare = locked(&self.spare).pop();
        let mut stream = spare.map_or_else(|| self.open(), Ok)?;
        stream.write_all(&request)?;
        stream.read_exact(&mut answer)?;
        locked(&self.spare).push(stream);
        Ok(answer)
    }

    /// Return why the server stopped evaluating.
    pub(super) fn failure(&self) -> Option<String> {
        locked(&self.failure).clone()
    }
}
