//! Connections. Requests are limited in length and time, answers in time. Requests that a
//! page of another site may have caused are refused.

use super::routes::{Answer, Site};
use super::{BODY, Serve, Service, Workers};
use crate::cli::terminal::printed;
use crate::player::Settings;
use crate::util::on_interrupt;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{self, HeaderMap, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::future::poll_fn;
use std::io::{self, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::thread;
use std::time::Duration;
use tokio::sync::{Notify, Semaphore};

/// The default port.
const PORT: u16 = 8361;

/// Maximum number of connections at a time; others wait.
const CONNECTIONS: usize = 64;

/// Time in which a request must arrive: its head, and its body.
const HEAD_TIME: Duration = Duration::from_secs(10);
const BODY_TIME: Duration = Duration::from_secs(30);

/// Time in which the browser must read an answer.
const ANSWER_TIME: Duration = Duration::from_secs(30);

/// Maximum number of bytes of the head of a request.
const HEAD: usize = 16 << 10;

/// Pause after the system has refused a connection, for example because too many files are
/// open.
const REFUSED_PAUSE: Duration = Duration::from_millis(100);

/// Headers of every answer: pages of other sites may neither frame nor include it, nor learn
/// its address.
const HEADERS: [(header::HeaderName, &str); 5] = [
    (header::CACHE_CONTROL, "no-store"),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "same-origin"),
    (
        header::HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
];

/// Serve until an interrupt.
///
/// # Errors
/// A message that names the unusable port, network or option.
pub(in crate::cli) fn run(
    args: &Serve,
    settings: Settings,
    out: &mut impl Write,
) -> Result<(), String> {
    let cannot = |e: io::Error| format!("cannot serve: {e}");
    let bind = |port| TcpListener::bind((Ipv4Addr::LOCALHOST, port));
    let listener = match args.port {
        Some(port) => bind(port).map_err(|e| format!("--port {port}: {e}"))?,
        None => bind(PORT).or_else(|_| bind(0)).map_err(cannot)?,
    };
    let service = Service::new(settings)?;
    let port = listener.local_addr().map_err(cannot)?.port();
    let Workers {
        mut host,
        requests,
        mut worker,
        records,
    } = service.workers;
    let thread = |name: &str| thread::Builder::new().name(name.to_owned());
    let games = move || requests.iter().for_each(|request| host.handle(request));
    thread("games").spawn(games).map_err(cannot)?;
    let records = move || records.iter().for_each(|number| worker.handle(number));
    thread("records").spawn(records).map_err(cannot)?;
    let interrupt = Arc::new(Notify::new());
    let raised = interrupt.clone();
    on_interrupt(move || raised.notify_one());
    let address = format!("Ponnuki is at http://127.0.0.1:{port}/ (Ctrl-C ends it)");
    printed(writeln!(out, "{address}").and_then(|()| out.flush()))?;
    serve(listener, service.site, &interrupt).map_err(cannot)
}

/// Answer requests until an interrupt.
///
/// # Errors
/// If the system refuses the resources to start.
fn serve(listener: TcpListener, site: Site, interrupt: &Notify) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    listener.set_nonblocking(true)?;
    let port = listener.local_addr()?.port();
    let site = Arc::new(site);
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        let places = Arc::new(Semaphore::new(CONNECTIONS));
        let accepting = pin!(async {
            // The semaphore is never closed.
            while let Ok(place) = places.clone().acquire_owned().await {
                let Ok((stream, _)) = listener.accept().await else {
                    tokio::time::sleep(REFUSED_PAUSE).await;
                    continue;
                };
                let site = site.clone();
                tokio::spawn(async move {
                    connection(TokioIo::new(stream), &site, port).await;
                    drop(place);
                });
            }
        });
        first_of(accepting, pin!(interrupt.notified())).await;
        Ok(())
    })
}

/// Answer the one request of a connection.
async fn connection(stream: TokioIo<tokio::net::TcpStream>, site: &Site, port: u16) {
    let answered = &Notify::new();
    let service = service_fn(move |request| async move {
        let answer = respond(request, site, port).await;
        answered.notify_one();
        Ok::<_, Infallible>(answer)
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_buf_size(HEAD)
        .keep_alive(false)
        .serve_connection(stream, service);
    let late = async {
        answered.notified().await;
        tokio::time::sleep(ANSWER_TIME).await;
    };
    first_of(pin!(served), pin!(late)).await;
}

/// Wait for the first of two futures.
async fn first_of<A, B>(
    mut a: std::pin::Pin<&mut impl Future<Output = A>>,
    mut b: std::pin::Pin<&mut impl Future<Output = B>>,
) {
    poll_fn(|context| {
        match a.as_mut().poll(context).is_ready() || b.as_mut().poll(context).is_ready() {
            true => Poll::Ready(()),
            false => Poll::Pending,
        }
    })
    .await;
}

async fn respond(request: Request<Incoming>, site: &Site, port: u16) -> Response<Full<Bytes>> {
    let (head, body) = request.into_parts();
    let answer = match refusal(&head.headers, port) {
        Some(why) => Answer::refused(StatusCode::FORBIDDEN, why),
        None => match head.method {
            Method::GET => site.show(head.uri.path()),
            Method::POST => {
                let body = Limited::new(body, BODY).collect();
                match tokio::time::timeout(BODY_TIME, body).await {
                    Ok(Ok(body)) => {
                        let body = body.to_bytes().to_vec();
                        site.act(head.uri.path(), head.uri.query().unwrap_or(""), body)
                            .await
                    }
                    Ok(Err(e)) if e.is::<http_body_util::LengthLimitError>() => Answer::too_long(),
                    Ok(Err(e)) => {
                        let why = format!("the request cannot be read: {e}");
                        Answer::refused(StatusCode::BAD_REQUEST, why)
                    }
                    Err(_) => Answer::refused(
                        StatusCode::REQUEST_TIMEOUT,
                        "the request did not arrive in time".to_owned(),
                    ),
                }
            }
            method => Answer::refused(
                StatusCode::METHOD_NOT_ALLOWED,
                format!("{method}: only GET and POST are answered"),
            ),
        },
    };
    let mut response = Response::new(Full::from(answer.body));
    *response.status_mut() = answer.status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(answer.kind));
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Return why a request is refused: it was not sent to the loopback address, or a page of
/// another site sent it. A site whose name resolves to this machine must not get through.
fn refusal(headers: &HeaderMap, port: u16) -> Option<String> {
    let own = ["127.0.0.1", "localhost", "[::1]"].map(|name| match port {
        80 => name.to_owned(),
        _ => format!("{name}:{port}"),
    });
    let mut hosts = headers.get_all(header::HOST).iter();
    let host = hosts.next().and_then(|value| value.to_str().ok());
    if hosts.next().is_some() || !host.is_some_and(|host| own.iter().any(|o| o == host)) {
        let host = host.unwrap_or("none, or more than one");
        return Some(format!("Host {host}: only the loopback address is served"));
    }
    let is_own = |origin: &str| {
        let host = origin.strip_prefix("http://");
        host.is_some_and(|host| own.iter().any(|o| o == host))
    };
    let origin = headers.get(header::ORIGIN);
    match origin.map(|value| value.to_str().unwrap_or("?")) {
        Some(origin) if !is_own(origin) => {
            Some(format!("Origin {origin}: pages of other sites are refused"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_loopback_address_is_served() {
        let of = |pairs: &[(header::HeaderName, &'static str)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in pairs {
                headers.append(name, HeaderValue::from_static(value));
            }
            refusal(&headers, 8361).is_none()
        };
        assert!(of(&[(header::HOST, "127.0.0.1:8361")]));
        assert!(of(&[(header::HOST, "localhost:8361")]));
        assert!(!of(&[]));
        for host in [
            "127.0.0.1",
            "127.0.0.1:80",
            "evil.example:8361",
            "127.0.0.1:8361.evil",
        ] {
            assert!(!of(&[(header::HOST, host)]), "{host}");
        }
        assert!(!of(&[
            (header::HOST, "localhost:8361"),
            (header::HOST, "evil.example")
        ]));
        let own = (header::HOST, "127.0.0.1:8361");
        let origin = |text| of(&[own.clone(), (header::ORIGIN, text)]);
        assert!(origin("http://127.0.0.1:8361"));
        for text in [
            "null",
            "http://127.0.0.1:3000",
            "https://evil.example",
            "127.0.0.1:8361",
        ] {
            assert!(!origin(text), "{text}");
        }
    }
}
