"""What a transport error means, and what to do, in words that quote no address."""

from __future__ import annotations

import requests
import urllib3


def in_words(fault: Exception) -> str:
    """What a transport error means, without the address that its own text may quote."""
    text = repr(fault).lower()
    match fault:
        case requests.exceptions.InvalidProxyURL():
            return "the proxy's address is none"
        case requests.exceptions.InvalidSchema() if "socks" in text:
            return "the proxy speaks SOCKS, for which requests[socks] is not installed"
        case requests.exceptions.InvalidURL() | requests.exceptions.InvalidSchema() | ValueError():
            return "its address, or the proxy's, is none"
        case OSError() if "certificate bundle" in text or "certificate file" in text:
            return "the file of trusted certificates is not there"
        case requests.exceptions.SSLError():
            return "its certificate is not trusted"
        case requests.exceptions.ProxyError():
            return "the proxy does not let it through"
        case urllib3.exceptions.DecodeError():
            return "its body's compression is damaged, or none that was asked for"
        case requests.exceptions.Timeout() | urllib3.exceptions.TimeoutError():
            return "no answer in time"
        case _ if "timed out" in text:
            return "no answer in time"
        case _ if "nameresolution" in text or "getaddrinfo" in text:
            return "its name is not known"
        case _ if "refused" in text:
            return "it refuses connections"
        case _:
            return "the connection was cut"


def network_remedy(why: str) -> str:
    if "certificate" in why:
        return "Name your authorities with REQUESTS_CA_BUNDLE, or with --ca-bundle of `triage run` and `triage doctor`."
    if "proxy" in why:
        return "Check HTTPS_PROXY and NO_PROXY."
    return "Check the network, HTTPS_PROXY and --api-url; `triage doctor` checks them."
